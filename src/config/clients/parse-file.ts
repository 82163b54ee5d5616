import { parse as parseToml, TomlError } from "smol-toml";
import { parseDocument } from "yaml";
import { CoordinatorError } from "../../errors.ts";
import { printable } from "../../system/printable.ts";
import { readDocument } from "../document.ts";
import type { Format } from "./client.ts";

/** The value that a file holds; throws config_invalid without a word of its content, which may be secret. */
export function parseFile(text: string, format: Format, file: string): unknown {
  if (text.trim() === "") return {};
  if (format === "json") return readDocument(text, file).value;
  return format === "toml" ? readToml(text, file) : readYaml(text, file);
}

/** The format by the file's name: some clients take several. */
export function formatOf(path: string, usual: Format): Format {
  if (/\.jsonc?$/i.test(path)) return "json";
  if (/\.ya?ml$/i.test(path)) return "yaml";
  return /\.toml$/i.test(path) ? "toml" : usual;
}

function readToml(text: string, file: string): unknown {
  try {
    return parseToml(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    throw unreadable(file, `line ${thrown.line}, column ${thrown.column}: it is not TOML`);
  }
}

function readYaml(text: string, file: string): unknown {
  // Without the pretty ones: they quote the line.
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error === undefined) return document.toJS({ maxAliasCount: 100 });
  throw unreadable(file, `line ${text.slice(0, error.pos[0]).split("\n").length}: it is not YAML`);
}

function unreadable(file: string, why: string): CoordinatorError {
  return new CoordinatorError("config_invalid", `Cannot read ${printable(file)}: ${why}`, {
    hint: "Correct that line, or let the client write the file again.",
  });
}
