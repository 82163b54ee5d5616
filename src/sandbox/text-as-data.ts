import { isJson } from "../system/json-bounds.ts";
import { jsonOfPythonLiteral } from "./python-literal.ts";

/** What a server sent as text: as data if it is JSON or a literal of Python, else as it is. */
export function dataOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const json = jsonOfPythonLiteral(text);
    return json === undefined ? text : JSON.parse(json);
  }
}

/** The JSON of such data; undefined for what is only a text. */
export function jsonOfText(text: string): string | undefined {
  return isJson(text) ? text : jsonOfPythonLiteral(text);
}
