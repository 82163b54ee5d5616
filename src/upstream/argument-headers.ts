import { type Fields, fieldsOf, isFields } from "../system/fields.ts";

/** An argument that a tool wants repeated as a header: where it is, and the header's name. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

const key = "x-mcp-header";
const prefix = "Mcp-Param-";
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = new Set<unknown>(["string", "integer", "boolean"]);
const deepest = 64;

interface Tool {
  readonly name: string;
  readonly reason: string;
}

/**
 * Arguments that a server of 2026-07-28 wants as headers beside the call, so that what stands between us can read them. A
 * tool that asks for it in a way that the protocol forbids is left out.
 */
export class ArgumentHeaders {
  #tools: ReadonlyMap<unknown, readonly Declared[]> | undefined;

  /** Whether the server's tools have been read. */
  get isReady(): boolean {
    return this.#tools !== undefined;
  }

  /** Reads the server's tools; answers those that can be used, and the others with what is wrong. */
  learn(tools: readonly unknown[]): { readonly usable: unknown[]; readonly leftOut: Tool[] } {
    const known = new Map<unknown, readonly Declared[]>();
    const leftOut: Tool[] = [];
    const usable = tools.filter((tool) => {
      const { name, inputSchema } = fieldsOf(tool);
      const declared = readDeclared(inputSchema);
      if (typeof declared === "string") leftOut.push({ name: String(name), reason: declared });
      else known.set(name, declared);
      return typeof declared !== "string";
    });
    this.#tools = known;
    return { usable, leftOut };
  }

  /** The headers of a call. An argument that is absent or null has none. */
  of(tool: unknown, args: unknown): Record<string, string> {
    const values = (this.#tools?.get(tool) ?? []).flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((from, name) => fieldsOf(from)[name], args);
      const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
      return isPlain ? [[`${prefix}${header}`, headerValue(String(value))]] : [];
    });
    return Object.fromEntries(values);
  }
}

/** What a schema declares; a sentence when it breaks the rules. Only a chain of `properties` leads to a declaration. */
function readDeclared(inputSchema: unknown): Declared[] | string {
  const declared: Declared[] = [];
  const names = new Set<string>();
  const visit = (schema: unknown, path: readonly string[], isReachable: boolean): string | undefined => {
    if (typeof schema !== "object" || schema === null || path.length > deepest) return undefined;
    const problem = isFields(schema) && key in schema ? declare(schema, path, isReachable) : undefined;
    if (problem !== undefined) return problem;
    for (const [name, child] of Object.entries(schema)) {
      const inside = name === "properties" && isReachable && isFields(child);
      const children = inside ? Object.entries(child) : [[name, child] as const];
      for (const [step, one] of children) {
        const found = visit(one, [...path, step], inside);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  const declare = (schema: Fields, path: readonly string[], isReachable: boolean) => {
    const header = schema[key];
    const where = `${key} of ${path.join(".") || "its inputSchema"}`;
    if (!isReachable || path.length === 0) return `${where} does not stand at a property`;
    if (typeof header !== "string" || !headerName.test(header)) return `${where} is not a header name`;
    if (!types.has(schema["type"])) return `${where} stands at a value that is no string, integer or boolean`;
    if (names.has(header.toLowerCase())) return `${where} is used twice`;
    names.add(header.toLowerCase());
    declared.push({ path, header });
    return undefined;
  };
  return visit(inputSchema, [], true) ?? declared;
}

/** Plain where a header can hold it unchanged, else in the protocol's own wrapping. */
function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
