import type { CallToolResult } from "@modelcontextprotocol/server";
import { CoordinatorError } from "../errors.ts";
import type { Artifact, Artifacts } from "../store/artifacts.ts";

type Content = CallToolResult["content"][number];

/** An answer has links to so many files, and so many pictures of so many bytes: each costs the model that reads it. */
const mostLinks = 50;
const mostImages = 4;
const mostImageBytes = 256_000;
const images = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** The first version of the protocol whose clients know links. */
const knowsLinks = "2025-06-18";

/** Artifacts as parts of an answer: a link to each, and small images as such. */
export function artifactContent(
  artifacts: Artifacts,
  addresses: readonly string[],
  protocolVersion: string | undefined,
): Content[] {
  const known = addresses.slice(0, mostLinks).flatMap((address) => stillThere(artifacts, address) ?? []);
  const shown = known.filter(({ mediaType, bytes }) => images.has(mediaType) && bytes <= mostImageBytes);
  const links = protocolVersion !== undefined && protocolVersion < knowsLinks ? [] : known.map(linkTo);
  return [
    ...links,
    ...shown.slice(0, mostImages).map(({ uri, mediaType }) => ({
      type: "image" as const,
      data: artifacts.readBytes(uri).toString("base64"),
      mimeType: mediaType,
    })),
  ];
}

/** Another process may have made room since. */
function stillThere(artifacts: Artifacts, address: string): Artifact | undefined {
  try {
    return artifacts.find(address);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return undefined;
    throw thrown;
  }
}

function linkTo({ uri, name, mediaType, bytes }: Artifact): Content {
  return { type: "resource_link", uri, name, mimeType: mediaType, size: bytes };
}
