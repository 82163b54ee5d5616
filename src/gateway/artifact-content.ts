import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Artifact, Artifacts } from "../store/artifacts.ts";
import { isShownImage } from "../store/media-type.ts";
import type { Client } from "./client.ts";
import { stillThere } from "./content-items.ts";

type Content = CallToolResult["content"][number];

/** An answer has links to so many files, and so many pictures of so many bytes: each costs the model that reads it. */
const mostLinks = 50;
const mostImages = 4;
const mostImageBytes = 256_000;

interface Left {
  /** The addresses of artifacts that an operation leaves. */
  readonly addresses: readonly string[];
  /** Those among them that the answer has as content anyway. */
  readonly except: readonly (string | undefined)[];
}

/** Artifacts as parts of an answer: a link to each, and small images as such. */
export function artifactContent(artifacts: Artifacts, { addresses, except }: Left, client: Client): Content[] {
  const known = addresses.slice(0, mostLinks).flatMap((address) => stillThere(artifacts, address) ?? []);
  const shown = known.filter(
    ({ uri, mediaType, bytes }) => isShownImage(mediaType) && bytes <= mostImageBytes && !except.includes(uri),
  );
  const links = client.knows("resource_link") ? known.map(linkTo) : [];
  return [
    ...links,
    ...shown.slice(0, mostImages).map(({ uri, mediaType }) => ({
      type: "image" as const,
      data: artifacts.readBytes(uri).toString("base64"),
      mimeType: mediaType,
    })),
  ];
}

function linkTo({ uri, name, mediaType, bytes }: Artifact): Content {
  return { type: "resource_link", uri, name, mimeType: mediaType, size: bytes };
}
