import type { CallToolResult } from "@modelcontextprotocol/server";
import { CoordinatorError } from "../errors.ts";
import type { Attachment } from "../runtime/attachments.ts";
import type { Artifact, Artifacts } from "../store/artifacts.ts";

type Content = CallToolResult["content"][number];
type Item = Readonly<Record<string, unknown>>;

/** The first versions of the protocol whose clients know these. */
const knownSince: Readonly<Record<string, string>> = { audio: "2025-03-26", resource_link: "2025-06-18" };

/** Whether a client of that version knows a type of content; one that says no version is of the newest. */
export function knows(type: string, protocolVersion: string | undefined): boolean {
  const since = knownSince[type];
  return since === undefined || protocolVersion === undefined || protocolVersion >= since;
}

/** Items as they came, where the client knows them; the others as text, so that nothing is lost and nothing is refused. */
export function contentItems(items: readonly unknown[], protocolVersion: string | undefined): Content[] {
  return items.map((item) => {
    if (isWellFormed(item) && knows(String(item["type"]), protocolVersion)) return item as unknown as Content;
    return { type: "text", text: JSON.stringify(item) };
  });
}

/** What is attached to an answer, with its bytes. What clients do not get as content is named in the text, with its address. */
export function attachedItems(
  artifacts: Artifacts,
  attached: readonly Attachment[],
  protocolVersion: string | undefined,
): Content[] {
  return attached.flatMap(({ artifact, bytes: _bytes, unsent, ...item }): Content[] => {
    if (unsent !== undefined || !knows(item.type, protocolVersion)) return [];
    if (artifact === undefined) return [item as unknown as Content];
    if (!stillThere(artifacts, artifact)) return [];
    const data = artifacts.readBytes(artifact).toString("base64");
    if (item.type !== "resource") return [{ ...item, data } as unknown as Content];
    const payload = item.isText ? { text: artifacts.read(artifact) } : { blob: data };
    const { isText: _isText, resource, ...rest } = item;
    return [{ ...rest, resource: { ...resource, ...payload } } as unknown as Content];
  });
}

/** Another process may have made room since. */
export function stillThere(artifacts: Artifacts, address: string): Artifact | undefined {
  try {
    return artifacts.find(address);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return undefined;
    throw thrown;
  }
}

/** Whether an item of a known type has what its type needs: clients refuse an answer for one that has not. */
function isWellFormed(item: unknown): item is Item {
  if (!isObject(item)) return false;
  const has = (...fields: string[]) => fields.every((field) => typeof item[field] === "string");
  switch (item["type"]) {
    case "text":
      return has("text");
    case "image":
    case "audio":
      return has("data", "mimeType");
    case "resource_link":
      return has("uri", "name");
    case "resource": {
      const { resource } = item;
      const isContent = isObject(resource) && typeof (resource["text"] ?? resource["blob"]) === "string";
      return isContent && typeof resource["uri"] === "string";
    }
    default:
      return false;
  }
}

function isObject(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
