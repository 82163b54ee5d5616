// Functions that guests find among the operations and that are made of them: what only the guest's side can do.

type Operation = (...given: unknown[]) => Promise<unknown>;

interface Convenience {
  /** The operations that it is made of, in this order; it is offered where all of them are. */
  readonly needs: readonly string[];
  make(...operations: Operation[]): Operation;
}

const nothingReturned =
  "The function given to memory.update returned nothing, and nothing was written: return the new value";
const mostAttempts = 50;
const longestPauseMs = 100;
const longestTurnMs = 1000;
/** What goes in one message: as Base64, well below what the host takes. */
const partBytes = 6_000_000;

export const conveniences: Readonly<Record<string, Convenience>> = {
  "memory.update": {
    needs: ["memory.info", "memory.set", "memory.update"],
    make(info: Operation, set: Operation, patch: Operation) {
      const inTurn = createTurns();
      return async (key, change, options = {}) => {
        if (typeof change !== "function") return patch(key, change, options);
        const { namespace } = options as { namespace?: string };
        return inTurn(JSON.stringify([namespace ?? "default", key]), () =>
          updateByFunction({ info, set }, key, change as Change, options as UpdateOptions),
        );
      };
    },
  },
  "skills.save": {
    needs: ["skills.save"],
    make: (save: Operation) => (first, second, third) => {
      const [name, code, options] = typeof first === "function" ? [undefined, first, second] : [first, second, third];
      if (typeof code !== "function") return save(name, code, options);
      // The host has its source, types and all; here is only what became of it.
      return save(name, undefined, { ...(options as object | undefined), function: code.name });
    },
  },
  "artifacts.save": {
    needs: ["artifacts.save"],
    make: (save: Operation) => async (name, given) => {
      const data = given instanceof Blob ? await given.arrayBuffer() : given;
      const whole = typeof data === "string" && data.length > partBytes / 4 ? Buffer.from(data) : viewOf(data);
      if (!whole || whole.length <= partBytes) return save(name, data);
      const upload = crypto.randomUUID();
      for (let offset = 0; ; offset += partBytes) {
        const last = offset + partBytes >= whole.length;
        const saved = await save(name, whole.subarray(offset, offset + partBytes), { part: { upload, last } });
        if (last) return saved;
      }
    },
  },
  "artifacts.read": {
    needs: ["artifacts.read", "artifacts.read_bytes"],
    make: (read: Operation, readBytes: Operation) => async (uri, options) => {
      if (Object.keys((options as object | undefined) ?? {}).length > 0) return read(uri, options);
      const { base64 } = (await readBytes(uri)) as { base64: string };
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, "base64"));
      } catch {
        throw Object.assign(new Error(`${String(uri)} is not text. Read it with artifacts.read_bytes(uri).`), {
          code: "input_invalid",
        });
      }
    },
  },
  "artifacts.read_bytes": {
    needs: ["artifacts.read_bytes"],
    make:
      (read: Operation) =>
      async (...given) =>
        fromBase64(((await read(...given)) as { base64: string }).base64),
  },
  "workspace.read_bytes": {
    needs: ["workspace.read"],
    make: (read: Operation) => async (path, options) =>
      fromBase64((await read(path, { ...(options as object | undefined), encoding: "base64" })) as string),
  },
};

type Change = (value: unknown) => unknown;
type UpdateOptions = { readonly default?: unknown; readonly namespace?: string };

async function updateByFunction(
  { info, set }: { readonly info: Operation; readonly set: Operation },
  key: unknown,
  change: Change,
  { default: initial, ...place }: UpdateOptions,
): Promise<unknown> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const entry = (await info(key, { ...place, value: true })) as { value: unknown; revision: number } | null;
    const value: unknown = await change(entry ? entry.value : initial);
    if (value === undefined) throw new TypeError(nothingReturned);
    try {
      await set(key, value, { ...place, if_revision: entry?.revision ?? 0 });
      return value;
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== "memory_conflict") throw thrown;
    }
    const most = Math.min(2 * attempt, longestPauseMs);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
  }
  throw new Error(`"${String(key)}" was not updated: others wrote it before each of ${mostAttempts} attempts`);
}

/**
 * One guest's own changes of a key do not race each other: one goes on when the one before it has ended. Or has had its
 * time, as it may wait for this one; then, as with other guests, the later finds a conflict and tries again.
 */
function createTurns() {
  const last = new Map<string, Promise<void>>();
  return async (key: string, work: () => Promise<unknown>): Promise<unknown> => {
    const before = last.get(key);
    let end = () => {};
    const turn = new Promise<void>((resolve) => {
      end = resolve;
    });
    last.set(key, turn);
    await before;
    const timer = setTimeout(end, longestTurnMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      end();
      if (last.get(key) === turn) last.delete(key);
    }
  };
}

/** Bytes, of whichever class holds them, as the host takes them; undefined for anything else. */
export function bytesAsJson(value: unknown): { readonly base64: string } | undefined {
  const bytes = viewOf(value);
  return bytes && { base64: bytes.toString("base64") };
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

function viewOf(value: unknown): Buffer | undefined {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  return ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
