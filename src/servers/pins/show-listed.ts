import { readTools } from "../../catalog/read-tools.ts";
import type { Tool } from "../../catalog/tool.ts";
import { type Definition, hashOf, listedDefinition, toolDefinition, toolOf } from "../../policy/pins/definition.ts";
import type { Pin } from "../../policy/pins/pin.ts";
import { isFields } from "../../system/fields.ts";

const unreviewed = "Needs review by the user before it can be called.";

/** The tools as they were accepted: of what nobody has accepted there is the name, of what is blocked nothing. */
export function shownTools(tools: readonly Tool[], pins: ReadonlyMap<string, Pin>): readonly Tool[] {
  return tools.flatMap((tool) => {
    const pin = pins.get(tool.name);
    if (pin?.state === "blocked") return [];
    if (pin?.accepted === undefined) return [unreviewedTool(tool)];
    // As it came, where it is what was accepted: its arguments keep their order.
    return hashOf(toolDefinition(tool)) === hashOf(pin.accepted) ? [tool] : [toolOf(pin.accepted, tool.identifier)];
  });
}

function unreviewedTool({ name, identifier }: Tool): Tool {
  return { name, identifier, description: unreviewed, inputSchema: { type: "object", additionalProperties: true } };
}

/** The same of a list that is handed on as the server sent it. */
export function shownItems(
  kind: "tool" | "prompt" | "template",
  items: readonly unknown[],
  pins: ReadonlyMap<string, Pin>,
): readonly unknown[] {
  return items.flatMap((item) => {
    const definition = definitionOfItem(kind, item);
    // What has no name cannot be asked for.
    const pin = definition && pins.get(definition.name);
    if (!definition || pin?.state === "blocked") return [];
    const named = kind === "template" ? { uriTemplate: definition.name } : { name: definition.name };
    if (pin?.accepted === undefined) {
      const schema = kind === "tool" ? { inputSchema: { type: "object" } } : {};
      return [{ ...named, ...(kind === "template" && { name: "unreviewed" }), description: unreviewed, ...schema }];
    }
    const isSame = hashOf(definition) === hashOf(pin.accepted) && isWhole(item, definition);
    return [isSame ? item : { ...named, ...pin.accepted.parts }];
  });
}

/** The definition that an item of a server's list is, as far as it is pinned. */
export function definitionOfItem(kind: "tool" | "prompt" | "template", item: unknown): Definition | undefined {
  if (kind !== "tool") return isFields(item) ? listedDefinition(kind, item) : undefined;
  const [tool] = readTools([item]).tools;
  return tool && toolDefinition(tool);
}

/** Whether all of its description is pinned: a very long one was cut when it was read. */
function isWhole(item: unknown, { parts }: Definition): boolean {
  const description = isFields(item) ? item["description"] : undefined;
  return typeof description !== "string" || description.length <= String(parts["description"] ?? "").length + 1;
}
