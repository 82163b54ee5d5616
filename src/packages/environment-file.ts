import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CoordinatorError, systemCode } from "../errors.ts";
import { readFileWithinSync } from "../system/read-file.ts";
import { replaceFile } from "../system/replace-file.ts";

const environmentTypes = ["venv", "uv", "conda", "micromamba"] as const;

const schema = z.object({
  type: z.enum(environmentTypes),
  /** A virtual or conda environment of the user's that this one is based on. */
  path: z.string().optional(),
  /** Whether a model has chosen that, with the user's consent: then nothing counts that it names elsewhere. */
  isModels: z.literal(true).optional(),
  /** The interpreter that packages are installed for; unknown until the first is. */
  python: z.object({ program: z.string(), version: z.string() }).optional(),
  /** The number of the folder that holds the packages of a language. */
  layers: z.object({ python: z.int().optional(), typescript: z.int().optional() }).default({}),
  /** What guests find in their environment. */
  variables: z.record(z.string(), z.string()).default({}),
});

/** What is kept of an environment. */
export type EnvironmentRecord = z.output<typeof schema>;

/** One that was not configured. */
export const emptyEnvironment: EnvironmentRecord = { type: "venv", layers: {}, variables: {} };

const file = "environment.json";
const mostBytes = 16_000_000;

/** What a folder's file says; undefined when there is none. */
export async function readEnvironment(folder: string): Promise<EnvironmentRecord | undefined> {
  const path = join(folder, file);
  let text: string;
  try {
    // Each run looks here first, mostly in vain: a trip to another thread takes longer than the look.
    text = readFileWithinSync(path, { most: mostBytes, code: "environment_unusable", hint: hintFor(path) }).toString();
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) throw thrown;
    if (systemCode(thrown) === "ENOENT") return undefined;
    throw unreadable(folder, thrown);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

export async function writeEnvironment(folder: string, environment: EnvironmentRecord): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Variables may be secrets.
  await replaceFile(join(folder, file), JSON.stringify(environment, null, 2), { mode: 0o600, flush: true });
}

function unreadable(folder: string, cause: unknown): CoordinatorError {
  return new CoordinatorError("environment_unusable", `The environment in ${folder} cannot be read`, {
    hint: hintFor(join(folder, file)),
    cause,
  });
}

function hintFor(path: string): string {
  return `Repair or remove ${path}; with the folder goes all that was installed.`;
}
