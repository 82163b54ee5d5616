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
/** What goes in one message: as Base64, well below what the host takes. */
const partBytes = 6_000_000;

export const conveniences: Readonly<Record<string, Convenience>> = {
  "memory.update": {
    needs: ["memory.info", "memory.set", "memory.update"],
    make:
      (info: Operation, set: Operation, patch: Operation) =>
      async (key, change, options = {}) => {
        if (typeof change !== "function") return patch(key, change, options);
        const { default: initial, ...place } = options as { default?: unknown; namespace?: string };
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
