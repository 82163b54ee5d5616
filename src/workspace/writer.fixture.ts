import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createWorkspace } from "./workspace.ts";

/** Another process on the same workspace, for tests: `node writer.fixture.mjs <job> <folder> [name]`. */
const [, , job, folder = "", name = ""] = process.argv;
const root = join(folder, "root");
const workspace = createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 64, maxFiles: 1000 });

const jobs: Record<string, () => void | Promise<void>> = {
  async append() {
    for (let line = 0; line < 200; line++) await workspace.append("log.txt", `${name} ${line} ${"x".repeat(100)}\n`);
  },

  /** Replaces a large file, adds to another and makes new ones until it is killed; says each number once it is done. */
  async writeForever() {
    for (let number = 1; ; number++) {
      await workspace.write("whole.txt", `${number}\n`.repeat(20_000));
      await workspace.append("log.txt", `${name} ${number}\n`);
      await workspace.write(`files/${number % 20}.txt`, String(number));
      writeSync(1, `${number}\n`);
    }
  },

  /** Takes the lock of a file and dies with it. */
  async dieHolding() {
    await workspace.write("held.txt", "before");
    const { createFileLock } = await import("../system/file-lock.ts");
    await createFileLock(join(folder, "locks"))(
      `${root}\nheld.txt`,
      { patienceMs: 0, busy: () => new Error("busy") },
      async () => {
        writeSync(1, "held\n");
        process.kill(process.pid, "SIGKILL");
      },
    );
  },

  /** Puts links to the outside in the place of a folder and a file, and takes them away again, for two seconds. */
  swap() {
    const outside = join(folder, "outside");
    const away = join(folder, "away");
    const end = Date.now() + 2000;
    writeSync(1, "swapping\n");
    for (let turn = 0; Date.now() < end; turn++) {
      exchange(join(root, "folder"), join(away, `folder-${turn}`), () => mkdirSync(join(root, "folder")), outside);
      exchange(
        join(root, "file.txt"),
        join(away, `file-${turn}`),
        () => writeFileSync(join(root, "file.txt"), "inside"),
        join(outside, "file.txt"),
      );
    }
  },
};

function exchange(place: string, away: string, make: () => void, target: string): void {
  try {
    renameSync(place, away);
    symlinkSync(target, place);
    rmSync(place);
    make();
    writeFileSync(join(root, "folder", "file.txt"), "inside");
  } catch {
    // the other process was quicker: the next turn puts it right
    rmSync(place, { recursive: true, force: true, maxRetries: 100, retryDelay: 1 });
    make();
  }
}

await jobs[job ?? ""]?.();
