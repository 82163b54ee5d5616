import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import { CoordinatorError } from "../errors.ts";
import type { Artifact, Artifacts } from "../runtime/results/artifacts.ts";
import type { Attachment } from "../runtime/results/attachments.ts";
import { isShownImage } from "../runtime/results/media-type.ts";
import type { Client } from "./client.ts";
import { asResource } from "./resources.ts";

type Content = CallToolResult["content"][number];

/** An answer has links to so many files, and so many pictures of so many bytes: each costs the model that reads it. */
const mostLinks = 50;
const mostImages = 4;
const mostImageBytes = 256_000;

/** Items as they came, where the client knows them; the others as text, so that nothing is lost and nothing is refused. */
export function contentItems(items: readonly unknown[], client: Client): Content[] {
  return items.map((item) => {
    const content = wellFormed(item);
    if (content && client.knows(content.type)) return content;
    return { type: "text", text: JSON.stringify(item) };
  });
}

/** What is attached to an answer, with its bytes. What clients do not get as content is named in the text, with its address. */
export async function attachedItems(
  artifacts: Artifacts,
  attached: readonly Attachment[],
  client: Client,
): Promise<Content[]> {
  const items = attached.map(async ({ artifact, bytes: _bytes, unsent, ...item }): Promise<Content[]> => {
    if (unsent !== undefined || !client.knows(item.type)) return [];
    if (artifact === undefined) return contentItems([item], client);
    if (!(await stillThere(artifacts, artifact))) return [];
    return [wellFormed(await withBytes(item, artifacts, artifact)) ?? []].flat();
  });
  return (await Promise.all(items)).flat();
}

async function withBytes(
  { isText, resource, ...item }: Attachment,
  artifacts: Artifacts,
  artifact: string,
): Promise<object> {
  const bytes = await artifacts.readBytes(artifact);
  const data = bytes.toString("base64");
  if (item.type !== "resource") return { ...item, data };
  return { ...item, resource: { ...resource, ...(isText ? { text: bytes.toString("utf8") } : { blob: data }) } };
}

/** The artifacts that an operation leaves: a link to each, and small images as such unless they are attached anyway. */
export async function artifactItems(
  artifacts: Artifacts,
  addresses: readonly string[],
  attached: readonly Attachment[],
  client: Client,
): Promise<Content[]> {
  const except = new Set(attached.map(({ artifact }) => artifact));
  const looked = await Promise.all(addresses.slice(0, mostLinks).map((address) => stillThere(artifacts, address)));
  const known = looked.filter((artifact) => artifact !== undefined);
  const shown = known.filter(
    ({ uri, mediaType, bytes }) => isShownImage(mediaType) && bytes <= mostImageBytes && !except.has(uri),
  );
  const linked = client.knows("resource_link") ? known : [];
  return [
    ...linked.map((artifact) => ({ type: "resource_link" as const, ...asResource(artifact) })),
    ...(await Promise.all(shown.slice(0, mostImages).map((artifact) => imageOf(artifacts, artifact)))),
  ];
}

async function imageOf(artifacts: Artifacts, { uri, mediaType: mimeType }: Artifact): Promise<Content> {
  const bytes = await artifacts.readBytes(uri);
  return { type: "image", data: bytes.toString("base64"), mimeType };
}

/** Another process may have made room since. */
async function stillThere(artifacts: Artifacts, address: string): Promise<Artifact | undefined> {
  try {
    return await artifacts.find(address);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return undefined;
    throw thrown;
  }
}

/** The item, if need be without what is noted on it; undefined when clients would refuse an answer that has it. */
function wellFormed(item: unknown): Content | undefined {
  if (isSpecType.ContentBlock(item)) return item;
  const { annotations: _annotations, _meta, ...bare } = (item ?? {}) as { annotations?: unknown; _meta?: unknown };
  return isSpecType.ContentBlock(bare) ? bare : undefined;
}
