import { afterAll, expect, test } from "vitest";
import { Place } from "./command.ts";

// The command `env`, without an installation: test/environments.test.ts has those.

const place = new Place({});
afterAll(() => place[Symbol.dispose]());

test("makes, shows, changes and removes environments, and never shows a value", async () => {
  expect((await place.run("env", "list")).stdout).toContain("No environments");
  expect((await place.run("env", "create", "data")).stdout).toMatch(/^data: venv; Python 3\.\d+\.\d+; no packages\n$/);
  const set = await place.run("env", "set", "TOKEN=very-secret-value", "--environment", "data");
  expect(set.stdout).toBe("TOKEN=ve… (17 characters)\n");
  expect(JSON.parse((await place.run("env", "show", "data", "--json")).stdout)).toMatchObject({
    name: "data",
    type: "venv",
    variables: ["TOKEN"],
  });
  expect((await place.run("env", "packages", "data")).stdout).toBe('"data" has no packages\n');
  expect(await place.run("env", "rm", "data")).toMatchObject({ code: 0, stdout: 'Removed the environment "data"\n' });
});

test.each([
  [["env", "rm", "no"], "environment_unknown"],
  [["env", "show", "../x"], "cannot name an environment"],
  [["env", "install", "x; rm -rf ~"], "package_refused"],
  [["env", "set", "PATH=/evil"], "changes how programs are loaded"],
  [["env", "set", "secret-without-a-name"], "NAME=value"],
  [["env", "create", "c", "--type", "conda"], "conda_name"],
  [["env", "create", "c", "--venv", "/no/such/venv"], "environment_unusable"],
])("%j fails and says why", async (words, why) => {
  const { code, stderr, stdout } = await place.run(...words);
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toContain(why);
  expect(stderr).not.toContain("secret-without");
});
