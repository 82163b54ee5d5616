// Builds the image that the tests of the engine "container" use, from this machine's own Debian or Ubuntu packages, and
// prints its name. The image is kept: a second call only looks. `--absence` prints why this machine cannot build or run it, if so.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const container = fileURLToPath(new URL("../container", import.meta.url));
const recipe = [fileURLToPath(import.meta.url), join(container, "Containerfile")].map((path) => readFileSync(path));
const version = createHash("sha256").update(Buffer.concat(recipe)).digest("hex").slice(0, 12);
const name = "localhost/mcp-coordinator-test";

/** What a sandbox has no use for: it is never installed into, logged into or booted. */
const unused =
  /^(adduser|apt|debconf|debian-archive|dpkg|e2fsprogs|gpgv|init-system|libapt|libext2fs|libgnutls|libhogweed|libnettle|libp11|libpam|libsemanage|libsepol|libss2|libsystemd|libudev|login|logsave|mount|passwd|perl|sysvinit|ubuntu-keyring|util-linux-extra)/;
const unread = ["doc", "info", "lintian", "locale", "man"].map((folder) => `--exclude=./usr/share/${folder}`);

function run(program, ...args) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
}

function exists(image) {
  return spawnSync("podman", ["image", "exists", image]).status === 0;
}

function codename() {
  return /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "stable";
}

/** The place that this machine's own packages come from; debootstrap's own choice where apt names none. */
function mirror(suite) {
  const places = run(
    "apt-get",
    "indextargets",
    "--format",
    "$(REPO_URI)",
    "Created-By: Packages",
    `Codename: ${suite}`,
  );
  return places.split("\n").slice(0, 1).filter(Boolean);
}

/** Downloads with debootstrap, which checks signatures, and unpacks: nothing is configured, nothing of it runs. */
function unpack(work, root) {
  const suite = codename();
  const packages = join(work, "packages");
  const log = run(
    "debootstrap",
    "--variant=minbase",
    "--include=python3",
    "--download-only",
    suite,
    packages,
    ...mirror(suite),
  );
  const folder = join(packages, "var/cache/apt/archives");
  const chosen = readdirSync(folder).filter((file) => file.endsWith(".deb") && !unused.test(file));
  if (chosen.length === 0) throw new Error(`debootstrap downloaded nothing:\n${log}`);
  for (const part of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", part), { recursive: true });
    symlinkSync(`usr/${part}`, join(root, part));
  }
  for (const file of chosen) {
    const files = execFileSync("dpkg-deb", ["--fsys-tarfile", join(folder, file)], { maxBuffer: 1 << 29 });
    execFileSync("tar", ["-x", "--keep-directory-symlink", ...unread, "-C", root], { input: files });
  }
}

function build() {
  const work = mkdtempSync(join(tmpdir(), "mcp-coordinator-image-"));
  try {
    const root = join(work, "root");
    unpack(work, root);
    const archive = join(work, "root.tar");
    run("tar", "-c", "-f", archive, "-C", root, ".");
    run("podman", "import", "--quiet", archive, `${name}-base:${version}`);
    run(
      "podman",
      "build",
      "--quiet",
      "--build-arg",
      `BASE=${name}-base:${version}`,
      "--tag",
      `${name}:${version}`,
      container,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Why the engine "container" cannot be tested on this machine. */
function absence() {
  if (process.getuid?.() !== 0) return "its image is built by root only";
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  const has = (program) => folders.some((folder) => existsSync(join(folder, program)));
  const missing = ["podman", "debootstrap", "dpkg-deb"].find((program) => !has(program));
  if (missing !== undefined) return `${missing} is not installed`;
  const { status, stderr } = spawnSync("podman", ["info"], { encoding: "utf8" });
  return status === 0 ? undefined : `podman does not work here: ${stderr.trim().split("\n").at(-1)}`;
}

if (process.argv.includes("--absence")) {
  console.log(absence() ?? "");
  process.exit();
}
if (!exists(`${name}:${version}`)) {
  const isFirst = process.env.MCP_COORDINATOR_IMAGE_LOCK === undefined;
  if (isFirst) {
    // Several test files may ask at once: one builds, the others wait and find it.
    const lock = join(tmpdir(), "mcp-coordinator-image.lock");
    const { status } = spawnSync("flock", [lock, process.execPath, fileURLToPath(import.meta.url)], {
      stdio: "inherit",
      env: { ...process.env, MCP_COORDINATOR_IMAGE_LOCK: lock },
    });
    process.exit(status ?? 1);
  }
  build();
}
console.log(`${name}:${version}`);
