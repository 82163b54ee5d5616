import { createHash } from "node:crypto";
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../system/replace-file.ts";
import { version } from "../../system/version.ts";
import { type DescribeOptions, describeInterpreter, type Interpreter, isScript } from "./interpreter.ts";

const pairs = z.array(z.tuple([z.string(), z.string()]));
const known = z.object({
  stamp: z.string(),
  interpreter: z.object({
    version: z.string(),
    program: z.string(),
    readable: pairs.transform((found) => new Map(found)),
    hidden: z.array(z.string()),
    packages: z.array(z.string()),
    packageFolders: z.array(z.string()),
    standardLibrary: z.array(z.string()),
    executable: z.string(),
    libraryPath: z.string(),
    modules: z.array(z.string()).transform((names) => new Set(names)),
    compiled: z.string().optional(),
    watched: z.array(z.string()),
  }),
});

/** Long enough for a first run to be over. */
const askAgainMs = 2000;

/**
 * What `describeInterpreter` says, remembered in a folder: asking takes longer than a run. What was remembered counts as
 * long as its files look the same. A script that only picks an interpreter (pyenv and the like) may pick another one any
 * time: it is asked again a little later, and `onChanged` tells of it.
 */
export async function recallInterpreter(
  program: string,
  options: Omit<DescribeOptions, "compileTo">,
  folder: string,
  onChanged: () => void,
): Promise<Interpreter> {
  const { further = [], followsLinks } = options;
  const asked = createHash("sha256").update([program, followsLinks === true, ...further].join("\0"));
  const name = join(folder, asked.digest("hex").slice(0, 16));
  const file = `${name}.json`;
  const describe = () => describeAndRemember(program, { ...options, compileTo: name }, folder, file);
  const remembered = await recall(file, program);
  if (!remembered) return describe();
  if (await isScript(program)) {
    const askAgain = async () => {
      const now = await describe().catch(() => undefined);
      if (!now || JSON.stringify(toPlain(now)) !== JSON.stringify(toPlain(remembered))) onChanged();
    };
    setTimeout(() => void askAgain(), askAgainMs).unref();
  }
  return remembered;
}

async function recall(file: string, program: string): Promise<Interpreter | undefined> {
  try {
    const { stamp, interpreter } = known.parse(JSON.parse(await readFile(file, "utf8")));
    return stamp === (await stampOf(program, interpreter)) ? interpreter : undefined;
  } catch {
    return undefined; // never asked, or something of it is gone
  }
}

async function describeAndRemember(
  program: string,
  options: DescribeOptions,
  folder: string,
  file: string,
): Promise<Interpreter> {
  const interpreter = await describeInterpreter(program, options);
  try {
    const stamp = await stampOf(program, interpreter);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify({ stamp, interpreter: toPlain(interpreter) }), { mode: 0o600 });
  } catch {
    // The next process asks again.
  }
  return interpreter;
}

function toPlain(interpreter: Interpreter): object {
  return { ...interpreter, readable: [...interpreter.readable], modules: [...interpreter.modules] };
}

async function stampOf(program: string, { watched }: Interpreter): Promise<string> {
  const stamps = await Promise.all([program, ...watched].map(async (path) => `${path} ${(await stat(path)).mtimeMs}`));
  return createHash("sha256")
    .update([version, ...stamps].join("\n"))
    .digest("hex");
}
