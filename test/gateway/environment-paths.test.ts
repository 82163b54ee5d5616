import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect, createHome } from "./connect.ts";

// A model names a folder whose Python is not one: a package that brings a program, a link, a folder of its own making.

const executable = execFileSync("/usr/bin/python3", ["-I", "-S", "-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).trim();
const minor = execFileSync("/usr/bin/python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"], {
  encoding: "utf8",
}).trim();

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("to a client %s", (_name, modern) => {
  const place = createHome({}, { packages: { sources: "any" } });
  const data = join(place.home, "data");
  const canary = join(place.home, "canary");
  const asked: string[] = [];
  let action: "accept" | "decline" = "accept";
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(place, {
      modern,
      args: ["--toolsets", "code,environment"],
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params.message);
          return action === "accept" ? { action, content: {} } : { action };
        }),
    });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** A program that says that it ran. */
  const script = (path: string): string => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\nid > ${canary}\n`, { mode: 0o755 });
    return path;
  };
  const configure = async (input: object) => {
    asked.length = 0;
    const { structuredContent, isError } = await gateway.call("configure_environment", { name: "x2", ...input });
    const { error } = structuredContent as { error?: { code: string; message: string; hint?: string } };
    return { isError, error, asked: [...asked] };
  };

  test("a program that a package brought is not run, and nobody is asked about it", async () => {
    const layer = join(data, "environments/data/python-1/lib", `python${minor}`, "site-packages/evilpkg");
    script(join(layer, "bin/python"));
    const link = join(place.home, "link");
    symlinkSync(layer, link);
    const linked = join(place.home, "linked");
    mkdirSync(join(linked, "bin"), { recursive: true });
    symlinkSync(join(layer, "bin/python"), join(linked, "bin/python"));
    for (const input of [
      ...[layer, link, linked].map((path) => ({ venv_path: path })),
      { type: "uv", uv_venv_path: layer },
      { type: "conda", conda_name: layer },
    ]) {
      const { error, asked: questions } = await configure(input);
      expect(error?.message).toContain("is in a folder of the coordinator");
      expect(questions).toEqual([]);
    }
    expect(existsSync(canary)).toBe(false);
  });

  test("a folder of the user's is used when the user agrees, and is named", async () => {
    const venv = join(place.home, "venv");
    execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", venv]);
    action = "decline";
    const refused = await configure({ venv_path: venv });
    expect(refused.error).toMatchObject({
      code: "consent_missing",
      hint: `The user can do it in a terminal: mcp-coordinator env create x2 --type=venv --venv=${venv} --config=${place.config}`,
    });
    expect(refused.asked).toEqual([
      `Let code in the environment "x2" run on the Python in this folder?\n  folder: ${venv}\nIt runs in a sandbox. Code sees its packages.`,
    ]);
    action = "accept";
    expect((await configure({ venv_path: venv })).isError).toBeFalsy();
    const { structuredContent } = await gateway.call("execute_code", {
      ...{ language: "python", environment: "x2", code: "1 + 1" },
    });
    expect(structuredContent).toMatchObject({ status: "ok", result: 2 });
  });

  test("a script in its place is no Python", async () => {
    const folder = join(place.home, "script");
    script(join(folder, "bin/python"));
    action = "accept";
    const { error } = await configure({ venv_path: folder, name: "x3" });
    expect(error?.message).toContain("it is a script, and no Python");
    expect(existsSync(canary)).toBe(false);
  });

  test("a Python with a standard library of its own making runs in a sandbox, where it changes nothing", async () => {
    const base = join(place.home, "base");
    const library = join(base, "lib", `python${minor}`);
    mkdirSync(join(base, "bin"), { recursive: true });
    cpSync(join("/usr/lib", `python${minor}`, "encodings"), join(library, "encodings"), { recursive: true });
    for (const name of ["os.py", "codecs.py", "io.py", "abc.py", "stat.py", "posixpath.py", "genericpath.py"])
      copyFileSync(join("/usr/lib", `python${minor}`, name), join(library, name));
    const secret = join(place.home, "secret");
    mkdirSync(secret);
    const said = { version: [3, 11, 1], executable, started: executable, prefixes: [], stdlib: [secret], packages: [] };
    const answer = JSON.stringify({ ...said, linked: [], extensions: [], modules: [], compiled: {} });
    writeFileSync(
      join(library, "encodings", "aliases.py"),
      `import posix
try: posix.close(posix.open(${JSON.stringify(canary)}, posix.O_CREAT | posix.O_WRONLY))
except OSError: pass
posix.write(1, b${JSON.stringify(answer)})
posix._exit(0)
`,
    );
    const venv = join(place.home, "made");
    mkdirSync(join(venv, "bin"), { recursive: true });
    copyFileSync(realpathSync(executable), join(venv, "bin", "python"));
    writeFileSync(join(venv, "pyvenv.cfg"), `home = ${join(base, "bin")}\n`);
    action = "accept";
    const { error } = await configure({ venv_path: venv, name: "x4" });
    expect(existsSync(canary)).toBe(false);
    expect(error?.message).toContain(`it says that ${secret} is a part of it, which it was not shown`);
  });

  test("archives are asked for too, and none of ours is taken", async () => {
    const own = join(data, "workspace", "evil-1-py3-none-any.whl");
    const other = join(place.home, "evil-1-py3-none-any.whl");
    for (const path of [own, other]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    }
    const install = async (path: string) => {
      asked.length = 0;
      const { structuredContent } = await gateway.call("install_dependencies", { packages: [path] });
      return (structuredContent as { error: { code: string; message: string } }).error;
    };
    action = "decline";
    expect((await install(other)).code).toBe("consent_missing");
    expect(asked[0]).toContain(`\n  file: ${other}\n`);
    action = "accept";
    expect((await install(own)).message).toContain("is in a folder of the coordinator");
  });
});

test("a client that cannot ask its user has no path used", async () => {
  const place = createHome({});
  await using gateway = await connect(place, { args: ["--toolsets", "environment"] });
  const { structuredContent } = await gateway.call("configure_environment", { name: "x2", venv_path: "/usr" });
  expect(structuredContent).toMatchObject({ error: { code: "consent_missing" } });
});
