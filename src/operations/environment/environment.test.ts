import { expect, test } from "vitest";
import { runOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { environmentOperations } from "./environment.ts";

const many = Array.from({ length: 190_000 }, (_, index) => `p${index}`);

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
