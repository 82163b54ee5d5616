import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { type CoordinatorError, messageWithHint } from "../src/errors.ts";
import { createEnvironments } from "../src/packages/environments.ts";
import { createPythonInstaller } from "../src/packages/python/installer.ts";
import type { RunResult } from "../src/runtime/results/run-result.ts";
import { serveHttp } from "../src/sandbox/egress/local-server.fixture.ts";
import { containerAbsence, containerImage } from "./container-image.ts";

// Real packages of the index that pip uses here, installed and imported by real guests. Needs the network.

const folder = mkdtempSync(join(tmpdir(), "coordinator-environments-"));
const home = join(folder, "home");
const minutes = 3 * 60_000;

const open = async (packages: object = {}, sandbox: object = {}): Promise<Coordinator> => {
  const config = join(mkdtempSync(join(folder, "config-")), "config.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {}, coordinator: { packages, sandbox } }));
  return Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: home } });
};
const hostPackages = (): string =>
  execFileSync(
    "python3",
    ["-c", "import site, os; print([sorted(os.listdir(f)) for f in site.getsitepackages() if os.path.isdir(f)])"],
    {
      encoding: "utf8",
    },
  );

let coordinator: Coordinator;
let before: string;
const python = (code: string, environment?: string, engine?: string): Promise<RunResult> =>
  coordinator.execute({ language: "python", code, environment, engine });
const install = (packages: readonly string[], environment: string) =>
  coordinator.run("install_dependencies", { packages, environment });
const check = (environment: string) => coordinator.run("check_installed_packages", { environment });

beforeAll(async () => {
  before = hostPackages();
  coordinator = await open();
  await install(["six==1.16.0", "markupsafe"], "data");
}, minutes);
afterAll(async () => {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

const usePackages = `
import six
from markupsafe import escape, _speedups
[six.__version__, str(escape("<a>")), _speedups.__name__]`;

const used = ["1.16.0", "&lt;a&gt;", "markupsafe._speedups"];

describe("packages of an environment", () => {
  test("are imported by a guest on cpython, one with a C extension too", async () => {
    expect(await python(usePackages, "data", "cpython")).toMatchObject({ status: "ok", result: used });
  });

  test(
    "are imported by a guest on container",
    async ({ skip }) => {
      const absence = containerAbsence();
      skip(absence !== undefined, absence);
      await using other = await open({}, { container: { image: containerImage() } });
      const run = await other.execute({
        language: "python",
        code: usePackages,
        environment: "data",
        engine: "container",
      });
      expect(run).toMatchObject({ status: "ok", result: used });
    },
    minutes,
  );

  test("are refused on pyodide, with the reason", async () => {
    const { status, error } = await python("1", "data", "pyodide");
    expect({ status, code: error?.code, hint: error?.hint }).toMatchObject({
      status: "error",
      code: "environment_unusable",
      hint: expect.stringContaining("cpython"),
    });
  });

  test("are told with version and place, and by the guest itself", async () => {
    expect(await check("data")).toMatchObject({
      env_type: "venv",
      all_installed: true,
      package_details: {
        six: { installed: true, version: "1.16.0", location: expect.stringMatching(/^data\/python-1/) },
      },
    });
    const { result } = await python('from coordinator import packages\n[p["name"] for p in packages.list()]', "data");
    expect(result).toEqual(["MarkupSafe", "six"]);
  });

  test("are not those of the host's Python, which is as it was", () => expect(hostPackages()).toBe(before));

  test("an unknown environment, and one whose Python is gone, are told before anything runs", async () => {
    expect((await python("1", "dat")).error).toMatchObject({
      code: "environment_unknown",
      hint: expect.stringContaining('"data"'),
    });
    const gone = join(home, "environments", "gone");
    cpSync(join(home, "environments", "data"), gone, { recursive: true });
    const file = join(gone, "environment.json");
    const record = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...record, python: { program: "/no/python3", version: "3.11.1" } }));
    expect((await python("1", "gone")).error).toMatchObject({
      code: "environment_unusable",
      message: expect.stringContaining("/no/python3, which is gone"),
    });
  });
});

describe("an installation", () => {
  test(
    "that fails changes nothing",
    async () => {
      const files = () => readdirSync(join(home, "environments", "data"), { recursive: true }).sort();
      const [was, have] = [files(), await check("data")];
      await expect(install(["six==1.15.0", "markupsafe==999"], "data")).rejects.toMatchObject({
        code: "install_failed",
        message: expect.stringContaining("999"),
        hint: expect.stringContaining("as it was"),
      });
      expect(files()).toEqual(was);
      expect(await check("data")).toEqual(have);
    },
    minutes,
  );

  test(
    "waits for another one, and both count",
    async () => {
      await Promise.all([install(["tabulate"], "both"), install(["iniconfig"], "both")]);
      expect(Object.keys(((await check("both")) as { package_details: object }).package_details)).toEqual([
        "iniconfig",
        "tabulate",
      ]);
    },
    minutes,
  );

  test("of what is not a package is refused, and nothing is executed", async () => {
    const canary = join(folder, "canary");
    const hostile = [`x; touch ${canary}`, `$(touch ${canary})`, `\`touch ${canary}\``, `x && touch ${canary}`];
    const others = ["--index-url=http://127.0.0.1:9/", "-r /etc/passwd", "git+https://example.org/x", "/etc/passwd"];
    for (const text of [...hostile, ...others]) {
      await expect(install([text], "data"), text).rejects.toMatchObject({ code: "package_refused" });
      await expect(coordinator.run("configure_environment", { name: text }), text).rejects.toThrow();
      const conda = coordinator.run("configure_environment", { name: "c", type: "conda", conda_name: text });
      await expect(conda, text).rejects.toThrow();
    }
    expect(existsSync(canary)).toBe(false);
  });

  test("by a guest needs the setting", async () => {
    const { error } = await python('from coordinator import packages\npackages.install(["six"])', "data");
    expect(error?.message).toContain("Guests may not install packages");
    expect(error?.message).toContain("coordinator.packages.autoInstall");
  });
});

describe("code of a package", () => {
  test(
    "runs in a sandbox only: while it is built, when Python starts, and when it is imported",
    async () => {
      await using canary = await serveHttp((_request, response) => response.end("reached"));
      const [touched, started] = [join(folder, "touched"), join(folder, "started")];
      const source = join(folder, "probe");
      mkdirSync(source);
      // A build backend of its own needs nothing else: its code runs while pip makes a wheel of it.
      writeFileSync(
        join(source, "pyproject.toml"),
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "probe"\nversion = "1.0"\n',
      );
      writeFileSync(join(source, "backend.py"), backend(touched, started, canary.port));
      const archive = join(folder, "probe-1.0.tar.gz");
      execFileSync("tar", ["-czf", archive, "-C", folder, "--transform", "s,^probe,probe-1.0,", "probe"]);

      await using other = await open({ sources: "any" });
      await other.run("install_dependencies", { packages: [archive], environment: "probe" });
      const { result, error } = await other.execute({
        language: "python",
        code: "import probe\nprobe.found",
        environment: "probe",
        engine: "cpython",
      });
      expect({ result, error }).toEqual({
        result: {
          home: "FileNotFoundError",
          passwords: "FileNotFoundError",
          touch: "FileNotFoundError",
          network: "ConnectionRefusedError",
          proxy: "HTTPError 403",
          variables: [],
          ran: true,
        },
        error: undefined,
      });
      expect(existsSync(touched)).toBe(false);
      expect(existsSync(started)).toBe(false);
      expect(canary.requests).toEqual([]);
    },
    minutes,
  );

  test(
    "of a user's own virtual environment runs there too, and the environment stays as it is",
    async () => {
      const [venv, started] = [join(folder, "venv"), join(folder, "venv-started")];
      execFileSync("python3", ["-m", "venv", "--without-pip", venv]);
      const [version = ""] = readdirSync(join(venv, "lib"));
      const site = join(venv, "lib", version, "site-packages");
      writeFileSync(join(site, "evil.pth"), `import os; open(${JSON.stringify(started)}, "w")\n`);
      writeFileSync(join(site, "mine.py"), "answer = 42\n");
      const files = readdirSync(site);
      await coordinator.run("configure_environment", { name: "mine", type: "venv", venv_path: venv });
      await install(["iniconfig"], "mine");
      const { result } = await python("import mine, iniconfig\n[mine.answer, iniconfig.__name__]", "mine", "cpython");
      expect(result).toEqual([42, "iniconfig"]);
      expect(existsSync(started)).toBe(false);
      expect(readdirSync(site)).toEqual(files);
    },
    minutes,
  );
});

/** Looks around while it is built, and packs what it found as a module, with a program for Python's start beside it. */
function backend(touched: string, started: string, port: number): string {
  return `
import json, os, socket, urllib.request, zipfile

def tried(work):
    try:
        return repr(work())
    except urllib.error.HTTPError as error:
        return f"HTTPError {error.code}"
    except OSError as error:
        reason = getattr(error, "reason", None)
        return type(reason or error).__name__

def build_wheel(folder, config_settings=None, metadata_directory=None):
    found = {
        "home": tried(lambda: os.listdir(${JSON.stringify(process.env["HOME"] ?? "/root")})),
        "passwords": tried(lambda: open("/etc/passwd").read()),
        "touch": tried(lambda: open(${JSON.stringify(touched)}, "w")),
        "network": tried(lambda: socket.create_connection(("127.0.0.1", ${port}))),
        "proxy": tried(lambda: urllib.request.urlopen("http://127.0.0.1:${port}/").read()),
        "variables": [name for name in os.environ if "TOKEN" in name or "MCP" in name],
        "ran": True,
    }
    name = "probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("probe.py", "found = " + repr(found))
        wheel.writestr("probe.pth", "import os; open(${started}, 'w')".replace("(", "('", 1).replace(",", "',", 1))
        wheel.writestr("probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: probe\\nVersion: 1.0\\n")
        wheel.writestr("probe-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("probe-1.0.dist-info/RECORD", "")
    return name
`;
}

test(
  "an index of the user's, with a password, is reached, and the password is in no message",
  async () => {
    const asked: (string | undefined)[] = [];
    await using index = await serveHttp((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const config = join(folder, "pip.conf");
    writeFileSync(config, `[global]\nindex-url = http://me:pass-of-mine@127.0.0.1:${index.port}/simple\n`);
    vi.stubEnv("PIP_CONFIG_FILE", config);
    const lines: string[] = [];
    const onProgress = (line: string) => lines.push(line);
    const failure = await coordinator
      .run("install_dependencies", { packages: ["six==1.0"], environment: "private" }, { onProgress })
      .catch((thrown: CoordinatorError) => thrown);
    vi.unstubAllEnvs();
    expect(failure).toMatchObject({ code: "install_failed" });
    expect(index.requests[0]).toBe("GET /simple/six/");
    expect(asked).toContain(`Basic ${Buffer.from("me:pass-of-mine").toString("base64")}`);
    expect(`${lines.join()} ${messageWithHint(failure)}`).not.toContain("pass-of-mine");
  },
  minutes,
);

describe("variables", () => {
  test("are seen by guests of their environment, in both languages, and by no others", async () => {
    const set = await coordinator.run("set_runtime_env", {
      variables: { TOKEN_X: "very-secret-value" },
      environment: "data",
    });
    expect(JSON.stringify([set, await coordinator.run("get_runtime_env", { environment: "data" })])).not.toContain(
      "secret-value",
    );
    await coordinator.run("set_runtime_env", { variables: { OTHER: "1" }, environment: "other" });
    const seen = async (environment?: string) => {
      const [py, ts] = await Promise.all([
        python('import os\n[os.environ.get("TOKEN_X"), sorted(os.environ)]', environment),
        coordinator.execute({ code: '[process.env["TOKEN_X"] ?? null, Object.keys(process.env)]', environment }),
      ]);
      return [py.result, ts.result];
    };
    const mine = ["very-secret-value", ["TOKEN_X"]];
    expect(await seen("data")).toEqual([mine, mine]);
    expect(await seen("other")).toEqual([
      [null, ["OTHER"]],
      [null, ["OTHER"]],
    ]);
    expect(await seen()).toEqual([
      [null, []],
      [null, []],
    ]);
  });

  test("a session stays in the environment that it was started in", async () => {
    const session = { language: "python", session: "s" } as const;
    await coordinator.execute({ ...session, code: "x = 1", environment: "data" });
    const { error } = await coordinator.execute({ ...session, code: "x", environment: "other" });
    expect(error?.message).toContain('started in the environment "data"');
    expect(await coordinator.execute({ ...session, code: "x", environment: "data" })).toMatchObject({ result: 1 });
  });
});

test(
  "uv installs too",
  async () => {
    const wheels = join(folder, "wheels");
    execFileSync("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, "uv"]);
    const [wheel = ""] = readdirSync(wheels);
    execFileSync("python3", ["-m", "zipfile", "-e", join(wheels, wheel), wheels]);
    const data = readdirSync(wheels).find((name) => name.endsWith(".data")) ?? "";
    const uv = join(wheels, data, "scripts", "uv");
    execFileSync("chmod", ["755", uv]);
    const settings = { ...servicesOf(coordinator).config.packages };
    const findProgram = (name: string) => (name === "uv" ? uv : `/usr/bin/${name}`);
    const environments = createEnvironments({
      folder: join(folder, "uv-environments"),
      settings,
      installers: { python: createPythonInstaller({ settings, findProgram }) },
      ownFolders: [],
    });
    await environments.configure("fast", { type: "uv" });
    const first = await environments.install("fast", "python", ["six==1.16.0"]);
    expect(first.installed).toMatchObject([{ name: "six", version: "1.16.0" }]);
    await environments.install("fast", "python", ["six==1.17.0", "tabulate"]);
    expect(
      (await environments.packages("fast", "python")).map(({ name, version }) => [name, version.length > 0]),
    ).toEqual([
      ["six", true],
      ["tabulate", true],
    ]);
    await expect(environments.install("fast", "python", ["six==999"])).rejects.toMatchObject({
      code: "install_failed",
    });
  },
  minutes,
);
