// What this project needs of the machine beside Node: on Linux, bubblewrap and Python; with `--containers` (the tests) podman,
// what its image is made with, and Python's venv. Installs it on Debian and Ubuntu as root; elsewhere it prints the one command to run.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const packages = {
  bwrap: "bubblewrap",
  prlimit: "util-linux",
  python3: "python3",
  ...(process.argv.includes("--containers") && {
    podman: "podman",
    runc: "runc",
    newuidmap: "uidmap",
    debootstrap: "debootstrap",
  }),
};

function has(program) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Debian's Python comes without the part that puts pip into a virtual environment. */
function makesVenvs() {
  return !has("apt-get") || spawnSync("python3", ["-c", "import ensurepip"], { stdio: "ignore" }).status === 0;
}

const missing = Object.entries(packages)
  .filter(([program]) => process.platform === "linux" && !has(program))
  .map(([, name]) => name);
if (process.argv.includes("--containers") && !makesVenvs()) missing.push("python3-venv");

if (missing.length > 0) {
  const isRoot = process.getuid?.() === 0;
  if (!has("apt-get") || !isRoot) {
    const installer = has("apt-get")
      ? "sudo apt-get install -y"
      : has("dnf")
        ? "sudo dnf install -y"
        : "install with your package manager:";
    console.error(
      `Missing on this machine: ${missing.join(", ")}. Run this, then try again:\n\n  ${installer} ${missing.join(" ")}\n`,
    );
    process.exit(1);
  }
  console.error(`Installing ${missing.join(", ")} with apt-get`);
  for (const step of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...missing],
  ]) {
    const { status } = spawnSync("apt-get", step, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (status !== 0) {
      console.error(`apt-get ${step.join(" ")} failed. Run it by hand, then try again.`);
      process.exit(1);
    }
  }
}
