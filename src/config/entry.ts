import { type Fields, fieldsOf } from "../system/fields.ts";
import type { ConfigProblem, Path } from "./document.ts";

/** An entry of mcpServers as written, of any shape: the schema reports wrong types. */
export type RawEntry = Fields;

const addressKeys = ["url", "serverUrl", "httpUrl"];

/** What is wrong with an entry beyond the types of its parts. Values are never repeated: a url may hold a token. */
export function entryProblems(entry: RawEntry, path: Path): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = (key: string, text: string) => problems.push({ path: [...path, key], text });
  const addresses = addressKeys.filter((key) => key in entry);
  const [address] = addresses;

  if ("command" in entry && address !== undefined) {
    problems.push({ path, text: `has both command and ${address}; keep the one you mean` });
  } else if (!("command" in entry) && address === undefined) {
    problems.push({ path, text: "needs command (a program to start) or url (a server to reach)" });
  } else {
    const text = typeProblem(entry["type"], address !== undefined);
    if (text !== undefined) report("type", text);
  }
  for (const key of addresses.slice(1)) report(key, `means the same as ${address}; keep one`);
  for (const key of addresses) {
    const text = addressProblem(entry[key]);
    if (text !== undefined) report(key, text);
  }
  if ("auth" in entry && hasAuthorization(entry["headers"])) {
    report("auth", "is not used beside headers.Authorization; keep one");
  }
  problems.push(...headerProblems(entry["headers"], [...path, "headers"]));
  if ("includeTools" in entry && allowsTools(entry["tools"])) {
    report("includeTools", "means the same as the allowed tools of tools; keep one");
  }
  return problems;
}

function typeProblem(type: unknown, isRemote: boolean): string | undefined {
  if (typeof type !== "string" || (type !== "stdio") === isRemote) return undefined;
  return isRemote ? "a server of this type has a command, not a url" : "a server of this type has a url, not a command";
}

function addressProblem(address: unknown): string | undefined {
  if (typeof address !== "string") return undefined;
  if (!URL.canParse(address)) return "is not a whole url, such as https://example.org/mcp";
  const { protocol, username, password } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return "must begin with http:// or https://";
  if (username !== "" || password !== "") return "must not hold a user name or password; write headers.Authorization";
  return undefined;
}

function hasAuthorization(headers: unknown): boolean {
  return Object.keys(fieldsOf(headers)).some((name) => name.toLowerCase() === "authorization");
}

/** Checked here because the message of fetch would repeat the value. */
function headerProblems(headers: unknown, path: Path): readonly ConfigProblem[] {
  return Object.entries(fieldsOf(headers)).flatMap(([name, value]) => {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return [{ path: [...path, name], text: "is not a legal header name" }];
    if (typeof value !== "string" || /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [];
    return [{ path: [...path, name], text: "has a character that no header may hold, such as a line break" }];
  });
}

function allowsTools(tools: unknown): boolean {
  return Array.isArray(tools) || "allow" in fieldsOf(tools);
}
