import type { Tool } from "../catalog/tool.ts";
import { sketchTools } from "../codegen/sketch.ts";
import type { Language } from "../sandbox/engine.ts";
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
}

/** What guests may import from `coordinator`, from the operations themselves. */
export function guestApi(operations: readonly AnyOperation[]): readonly ApiFunction[] {
  return guestMembers(operations).map((member) => {
    const { guest: name, tool } = member;
    return {
      name,
      description: tool.description,
      tool: { ...tool, name, identifier: name },
      signature: (language) => signatureOf(member, language),
      importLine: (language) => importing(name, language),
    };
  });
}

function signatureOf({ guest, tool, positional, convenience }: GuestMember, language: Language): string {
  const written = convenience?.[language];
  if (written === undefined)
    return sketchTools([{ ...tool, identifier: guest, positional }], language).calls[0] ?? guest;
  const group = guest.slice(0, guest.lastIndexOf(".") + 1);
  const [call = "", promised] = written.split("Promise<");
  const whole = promised === undefined ? call : call + promised.slice(0, -1);
  return group + whole.replace("_Callable", "Callable").replace("_Saved", "{ uri, bytes: int, mediaType }");
}

function importing(name: string, language: Language): string {
  const [group] = name.split(".");
  return language === "python" ? `from coordinator import ${group}` : `import { ${group} } from "coordinator"`;
}
