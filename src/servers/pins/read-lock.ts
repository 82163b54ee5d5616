import { dirname, join } from "node:path";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { lockName } from "../../policy/pins/lock.ts";
import { type Lock, lockSchema } from "../../policy/pins/lock-schema.ts";
import { printable } from "../../system/printable.ts";
import { readFileWithin } from "../../system/read-file.ts";

const largest = 50_000_000;

/** Where the lock of a configuration is unless another is named. */
export function lockBeside(configFile: string): string {
  return join(dirname(configFile), lockName);
}

/** Throws config_not_found without one, and config_invalid for one that cannot be used: nothing is held to half a lock. */
export async function readLock(file: string): Promise<Lock> {
  const bytes = await readFileWithin(file, {
    ...{ most: largest, code: "config_invalid" },
    hint: "A lock is a file that `mcp-coordinator pins export` has written.",
  }).catch((thrown: unknown) => {
    if (thrown instanceof CoordinatorError) throw thrown;
    throw new CoordinatorError("config_not_found", `Cannot read the lock ${printable(file)}: ${messageOf(thrown)}`, {
      hint: "`mcp-coordinator pins export` writes it.",
      cause: thrown,
    });
  });
  const parsed = lockSchema.safeParse(jsonOf(bytes.toString("utf8")), { jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") || "the file";
  throw new CoordinatorError(
    "config_invalid",
    `The lock ${printable(file)} cannot be used: ${place}: ${issue?.message}`,
    {
      hint: "Write it anew with `mcp-coordinator pins export`, or take back what was changed in it.",
    },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
