import type { Tool } from "../catalog/tool.ts";
import { callableOf } from "../codegen/python/callable.ts";
import { headerOf } from "../codegen/python/function-stub.ts";
import { createVocabulary } from "../codegen/python/vocabulary.ts";
import { sketchTools } from "../codegen/sketch.ts";
import type { Language } from "../sandbox/engine.ts";
import { callText } from "./call-text.ts";
import { type GuestMember, guestMembers } from "./coordinator-module.ts";
import type { AnyOperation } from "./operation.ts";

/** A function that guests import from `coordinator`, as a model reads it before it calls it. */
export interface ApiFunction {
  /** With its group: `artifacts.save`. */
  readonly name: string;
  readonly description: string;
  /** For those who search. */
  readonly tool: Tool;
  signature(language: Language): string;
  importLine(language: Language): string;
  /** For those who called it otherwise: its signature, and a call as an example. */
  usage(language: Language): string;
  /** What `help` and `inspect` of Python say of it. */
  pythonHelp(): PythonHelp;
}

interface PythonHelp {
  /** With their brackets: `(uri: str, *, offset: int = 0)`. */
  readonly parameters: string;
  readonly result: string;
  readonly doc: string;
}

/** What guests may import from `coordinator`, from the operations themselves. */
export function guestApi(operations: readonly AnyOperation[]): readonly ApiFunction[] {
  return guestMembers(operations).map((member) => {
    const { guest: name, tool } = member;
    const signature = (language: Language) => `${name}${parametersOf(member, language)}${resultOf(member, language)}`;
    return {
      name,
      description: tool.description,
      tool: { ...tool, name, identifier: name },
      signature,
      importLine: (language) => importing(name, language),
      usage: (language) => `It takes: ${signature(language)}   e.g. ${exampleOf(member, language)}`,
      pythonHelp: () => helpOf(member),
    };
  });
}

/** What a result looks like helps less to write a call than what it takes. */
const limits = { mostOfResult: 60 };

function parametersOf(member: GuestMember, language: Language): string {
  const { convenience, tool, positional } = member;
  if (!convenience) {
    const { outputSchema: _result, ...input } = tool;
    const [call = ""] = sketchTools([{ ...input, positional }], language, limits).calls;
    return call.slice(tool.identifier.length);
  }
  const written = language === "python" ? convenience.python : convenience.typescript[0];
  return `(${convenience.shown?.[language] ?? readable(written ?? "")})`;
}

function resultOf({ convenience, tool }: GuestMember, language: Language): string {
  const written = convenience?.result?.[language];
  if (written !== undefined) return `${language === "python" ? " -> " : ": "}${written}`;
  const [call = ""] = sketchTools([{ ...tool, inputSchema: nothing }], language, limits).calls;
  return call.slice(`${tool.identifier}()`.length);
}

/** Without the names that stubs give what a class may hide. */
function readable(parameters: string): string {
  return parameters.replace(/_(Callable|List)\b/g, (_whole, name: string) => (name === "List" ? "list" : name));
}

const nothing = { type: "object", properties: {} };

function exampleOf({ guest, convenience, example, positional }: GuestMember, language: Language): string {
  const call = convenience?.example[language] ?? callText(guest, example, { language, positional });
  return language === "typescript" ? `await ${call}` : call;
}

function helpOf(member: GuestMember): PythonHelp {
  const { tool, positional, convenience } = member;
  const options = { taken: new Set<string>(), vocabulary: createVocabulary(new Set()), exact: true };
  const callable = callableOf(tool, { ...options, shownDefaults: true });
  const header = headerOf("", callable, positional).slice(0, -` -> ${callable.result}`.length);
  const parameters = convenience ? `(${readable(convenience.python)})` : header;
  const about = convenience ? tool.description : callable.docs();
  return {
    parameters,
    result: resultOf(member, "python").replace(" -> ", "") || "Any",
    doc: `${about}\n\nFor example: ${exampleOf(member, "python")}`,
  };
}

function importing(name: string, language: Language): string {
  const [group] = name.split(".");
  return language === "python" ? `from coordinator import ${group}` : `import { ${group} } from "coordinator"`;
}
