// What this project needs of the machine beside Node: on Linux, bubblewrap and Python; with `--tests` also the programs that the
// tests run, and podman for those of the engine "container", which are skipped without it. Installs what is missing on Debian and
// Ubuntu as root; elsewhere it prints the one command to run.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const forTests = process.argv.includes("--tests");
const needed = {
  bwrap: "bubblewrap",
  prlimit: "util-linux",
  python3: "python3",
  ...(forTests && { git: "git", openssl: "openssl", ps: "procps", script: "bsdutils" }),
};
const forContainers = { podman: "podman", runc: "runc", newuidmap: "uidmap", debootstrap: "debootstrap" };

function has(program) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.some((folder) => existsSync(join(folder, program)));
}

function missingOf(packages) {
  if (process.platform !== "linux") return [];
  return Object.entries(packages)
    .filter(([program]) => !has(program))
    .map(([, name]) => name);
}

/** Debian's Python comes without the part that puts pip into a virtual environment. */
function makesVenvs() {
  return !has("apt-get") || spawnSync("python3", ["-c", "import ensurepip"], { stdio: "ignore" }).status === 0;
}

const canInstall = has("apt-get") && process.getuid?.() === 0;
let isUpdated = false;

/** Whether all of them are there now. */
function install(names) {
  if (!canInstall) return false;
  console.error(`Installing ${names.join(", ")} with apt-get`);
  const steps = [["install", "-y", "-qq", "--no-install-recommends", ...names]];
  if (!isUpdated) steps.unshift(["update", "-qq"]);
  isUpdated = true;
  return steps.every((step) => {
    const { status } = spawnSync("apt-get", step, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (status !== 0) console.error(`apt-get ${step.join(" ")} failed.`);
    return status === 0;
  });
}

function commandFor(names) {
  const installers = { "apt-get": "sudo apt-get install -y", dnf: "sudo dnf install -y" };
  const found = Object.keys(installers).find(has);
  return `${found ? installers[found] : "install with your package manager:"} ${names.join(" ")}`;
}

const missing = missingOf(needed);
if (forTests && !makesVenvs()) missing.push("python3-venv");
if (missing.length > 0 && !install(missing)) {
  console.error(
    `Missing on this machine: ${missing.join(", ")}. Run this, then try again:\n\n  ${commandFor(missing)}\n`,
  );
  process.exit(1);
}

const optional = forTests ? missingOf(forContainers) : [];
if (optional.length > 0 && !install(optional)) {
  console.error(
    `Missing on this machine: ${optional.join(", ")}. Tests of the engine container may be skipped; for them, run:\n\n  ${commandFor(optional)}\n`,
  );
}
