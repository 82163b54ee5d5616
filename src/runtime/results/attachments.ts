import { CoordinatorError } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";
import { fromBase64 } from "./base64.ts";
import { endingOf, isShownImage } from "./media-type.ts";

/**
 * An image, audio or resource in a result, without its bytes: those are in a file. Stands in the result where the item was,
 * and is sent to clients as content of its own.
 */
export interface Attachment {
  readonly type: "image" | "audio" | "resource" | "resource_link";
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly resource?: Readonly<Record<string, unknown>>;
  /** Of a resource: whether it was a text. */
  readonly isText?: boolean;
  readonly annotations?: unknown;
  readonly _meta?: unknown;
  /** Where the bytes or the text are; a link has none. */
  readonly artifact?: string;
  readonly bytes?: number;
  /** Why clients do not get it as content, where they do not. */
  readonly unsent?: string;
}

/** Keeps the bytes or the text of an item as a file; throws when there is no room. */
type Keep = (name: string, data: string | Uint8Array) => Promise<{ readonly uri: string }>;

/** Clients refuse answers of more than 1 MB, in which bytes take four thirds of their size; and each image costs a model. */
const mostSent = 8;
const mostBytesSent = 600_000;
const mostTextSent = 8000;
/** More than these stay data like any other. */
const mostAttached = 100;

interface Payload {
  readonly data: string | Uint8Array;
  /** The item without it. */
  readonly rest: Omit<Attachment, "artifact" | "bytes" | "unsent">;
  readonly mimeType: string;
}

/** Takes images, audio and resources out of a value: what is left has no bytes in it. */
export async function attachmentsOf(
  value: unknown,
  keep: Keep,
): Promise<{ readonly value: unknown; readonly attached: readonly Attachment[] }> {
  const { left, attached, payloads } = takeOut(value);
  const whyNot = createRation();
  for (const [attachment, payload] of payloads) {
    const { rest, data, mimeType } = payload;
    const number = attached.indexOf(attachment) + 1;
    const kept = await keptFile(keep, `${rest.type}-${number}.${endingOf(mimeType)}`, data);
    const unsent = "unsent" in kept ? kept.unsent : whyNot(payload);
    Object.assign(attachment, kept, unsent !== undefined && { unsent });
  }
  return { value: attached.length > 0 ? left : value, attached };
}

/** The value with attachments in the place of such items, which do not say yet where their bytes are. */
function takeOut(value: unknown) {
  const attached: Attachment[] = [];
  const payloads = new Map<Attachment, Payload>();
  const attachmentOf = (item: Record<string, unknown>): Attachment | undefined => {
    if (isLink(item)) return item;
    const payload = payloadOf(item);
    if (!payload) return undefined;
    const attachment = { ...payload.rest };
    payloads.set(attachment, payload);
    return attachment;
  };
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (!isFields(part)) return part;
    const attachment = attached.length < mostAttached ? attachmentOf(part) : undefined;
    if (!attachment) return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
    attached.push(attachment);
    return attachment;
  };
  return { left: walk(value), attached, payloads };
}

/** Says of one after the other why it is not sent to clients; undefined while there is room for it in the answer. */
function createRation(): (payload: Payload) => string | undefined {
  let sent = 0;
  let bytesSent = 0;
  let textSent = 0;
  return ({ data, rest, mimeType }) => {
    if (rest.type === "image" && !isShownImage(mimeType)) return "models do not take such images";
    if (sent >= mostSent) return `an answer has at most ${mostSent}`;
    if (typeof data === "string") {
      if (textSent + data.length > mostTextSent)
        return `an answer has at most ${mostTextSent} characters of such texts`;
      textSent += data.length;
    } else {
      if (bytesSent + data.length > mostBytesSent) return `an answer has at most ${mostBytesSent / 1000} kB of them`;
      bytesSent += data.length;
    }
    sent++;
    return undefined;
  };
}

/** What stands for an attachment in a text. */
export function showAttachment(attachment: Attachment, number: number): string {
  const { type, uri, resource, bytes, artifact, unsent } = attachment;
  const mimeType = attachment.mimeType ?? resource?.["mimeType"];
  const size = bytes === undefined ? undefined : showSize(bytes);
  const about = [resource?.["uri"] ?? uri, mimeType, size].filter((part) => part !== undefined).join(", ");
  const why =
    unsent === undefined ? "" : `; not shown here: ${unsent}${artifact === undefined ? "" : `; it is in ${artifact}`}`;
  return `[${type} ${number}: ${about}${why}]`;
}

async function keptFile(keep: Keep, name: string, data: string | Uint8Array) {
  const bytes = Buffer.byteLength(data);
  try {
    const { uri } = await keep(name, data);
    return { artifact: uri, bytes };
  } catch (thrown) {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
    return { bytes, unsent: thrown.message };
  }
}

function isLink(item: Record<string, unknown>): item is Record<string, unknown> & Attachment {
  return item["type"] === "resource_link" && typeof item["uri"] === "string" && typeof item["name"] === "string";
}

function payloadOf({ type, data, resource, ...item }: Record<string, unknown>): Payload | undefined {
  const mimeType = item["mimeType"];
  if (type === "image" || type === "audio") {
    const bytes = typeof data === "string" && typeof mimeType === "string" ? fromBase64(data) : undefined;
    return bytes && { data: bytes, rest: { type, ...item }, mimeType: mimeType as string };
  }
  if (type !== "resource" || !isFields(resource) || typeof resource["uri"] !== "string") return undefined;
  const { text, blob, ...about } = resource;
  const content = typeof text === "string" ? text : typeof blob === "string" ? fromBase64(blob) : undefined;
  if (content === undefined) return undefined;
  const isText = typeof content === "string";
  const isKnown = typeof about["mimeType"] === "string";
  const usual = isText ? "text/plain" : "application/octet-stream";
  return {
    data: content,
    rest: { type, resource: about, isText, ...item },
    mimeType: isKnown ? String(about["mimeType"]) : usual,
  };
}

function showSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return `${bytes < 10_000 ? (bytes / 1000).toFixed(1) : Math.round(bytes / 1000)} kB`;
}
