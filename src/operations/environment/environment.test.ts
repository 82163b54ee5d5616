import { expect, test } from "vitest";
import { runOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { environmentOperations } from "./environment.ts";

const many = Array.from({ length: 190_000 }, (_, index) => `p${index}`);

test("an environment is named in one way by every tool, and by the predecessors' word where they had it", async () => {
  const config = { packages: { environment: "usual" } };
  const seen: string[] = [];
  const see = (name: string) => {
    seen.push(name);
    return { name, type: "venv", layers: {}, variables: {} };
  };
  const environments = {
    get: async (name: string) => see(name),
    configure: async (name: string) => ({ current: see(name) }),
    remove: async (name: string) => see(name),
  };
  const all = environmentOperations({ config, environments } as unknown as Services);
  const run = async (name: string, args: object) => {
    const operation = all.find((one) => one.name === name);
    if (operation) await runOperation(operation, args);
  };
  const named = ["configure_environment", "get_environment_config", "remove_environment"];
  for (const tool of [...named, "get_runtime_env"]) await run(tool, { environment: "mine" });
  for (const tool of named) await run(tool, { name: "mine" });
  expect(seen).toEqual(Array.from({ length: 7 }, () => "mine"));
  const both = run("get_environment_config", { environment: "mine", name: "other" });
  await expect(both).rejects.toMatchObject({ code: "input_invalid", hint: "Give one of them." });
  await expect(run("remove_environment", {})).rejects.toThrow("environment, the name of one, is missing");
  await run("get_environment_config", {});
  expect(seen.at(-1)).toBe("usual");
});

test.each([
  ["install_dependencies", { packages: many }, "packages: Too big: expected array to have <=200 items"],
  ["install_packages", { packages: many }, "packages: Too big: expected array to have <=200 items"],
  ["check_installed_packages", { packages: many }, "packages: Too big: expected array to have <=1000 items"],
  [
    "set_runtime_env",
    { variables: Object.fromEntries(many.map((name) => [name, 1])) },
    "variables: at most 200 are taken at a time",
  ],
])("%s takes so many names and no more", async (name, args, problem) => {
  const none = { config: { packages: {} } } as Services;
  const operation = environmentOperations(none).find((one) => one.name === name);
  if (!operation) throw new Error(name);
  await expect(runOperation(operation, args)).rejects.toMatchObject({
    code: "input_invalid",
    message: `Cannot run ${name}: ${problem}`,
  });
});
