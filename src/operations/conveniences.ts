import type { Language } from "../sandbox/engine.ts";

/** A function that guests get with more than the host's side can do. */
export interface Convenience {
  /** The operation that it is made of, where it has another name than that. */
  readonly of?: string;
  /** What it does, where that is not what its operation says. */
  readonly description?: string;
  /** What it takes: in TypeScript each way to call it, in Python all of them in one. */
  readonly typescript: readonly string[];
  readonly python: string;
  /** The same, shorter, for those who read it. */
  readonly shown?: Readonly<Record<Language, string>>;
  /** What it gives, where that is not what its operation gives. */
  readonly result?: Readonly<Record<Language, string>>;
  readonly example: Readonly<Record<Language, string>>;
}

/** Those of sandbox/guest/conveniences: what they take and give in each language. */
export const conveniences: Readonly<Record<string, Convenience>> = {
  "memory.update": {
    typescript: [
      "key: string, change: Record<string, unknown> | ((value: any) => unknown), options?: { default?: unknown; namespace?: string }",
    ],
    python:
      "key: str, change: Mapping[str, Any] | _Callable[[Any], Any], *, default: Any = None, namespace: str = 'default'",
    result: { typescript: "any", python: "Any" },
    example: {
      typescript: 'memory.update("visits", (count) => count + 1, { default: 0 })',
      python: 'memory.update("visits", lambda count: count + 1, default=0)',
    },
  },
  "artifacts.save": {
    typescript: ["name: string, data: unknown"],
    python: "name: str, data: Any",
    example: {
      typescript: 'artifacts.save("report.md", "# Sales")',
      python: 'artifacts.save("report.md", "# Sales")',
    },
  },
  "artifacts.read_bytes": {
    typescript: ["uri: string, options?: { offset?: number; limit?: number }"],
    python: "uri: str, *, offset: int = 0, limit: int = ...",
    result: { typescript: "Uint8Array", python: "bytes" },
    example: { typescript: 'artifacts.read_bytes("chart.png")', python: 'artifacts.read_bytes("chart.png")' },
  },
  "workspace.read_bytes": {
    of: "workspace.read",
    description: "The bytes of a file, or a part of them",
    typescript: ["path: string, options?: { offset?: number; limit?: number }"],
    python: "path: str, *, offset: int = 0, limit: int = ...",
    result: { typescript: "Uint8Array", python: "bytes" },
    example: { typescript: 'workspace.read_bytes("photo.png")', python: 'workspace.read_bytes("photo.png")' },
  },
};
