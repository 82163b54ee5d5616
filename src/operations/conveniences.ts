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

const saveOptions =
  '{ description?: string; tags?: string[] | null; tests?: string | null; language?: "typescript" | "python" }';

/** Those of sandbox/guest/conveniences: what they take and give in each language. */
export const conveniences: Readonly<Record<string, Convenience>> = {
  "skills.save": {
    typescript: [
      `name: string, code: string | ((...given: any[]) => unknown), options?: ${saveOptions}`,
      `code: (...given: any[]) => unknown, options?: ${saveOptions}`,
    ],
    python:
      "name: str | _Callable[..., Any], code: str | _Callable[..., Any] = ..., *, description: str = ..., tags: _List[str] | None = ..., tests: str | None = ..., language: Literal['typescript', 'python'] = ...",
    shown: {
      typescript: "fn) or skills.save(name, code: string | function, { description?, tags?: string[], tests? }",
      python: "fn) or skills.save(name, code: str | function, description=..., tags: [str] = ..., tests=...",
    },
    example: { typescript: "skills.save(topCustomers)", python: "skills.save(top_customers)" },
  },
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
