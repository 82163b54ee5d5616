import { CoordinatorError } from "../../errors.ts";
import { endingOf, isShownImage } from "../../store/media-type.ts";
import { fromBase64 } from "./base64.ts";

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
type Keep = (name: string, data: string | Uint8Array) => { readonly uri: string; readonly bytes: number };

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
export function attachmentsOf(value: unknown, keep: Keep): { value: unknown; attached: readonly Attachment[] } {
  const attached: Attachment[] = [];
  let sent = 0;
  let bytesSent = 0;
  let textSent = 0;
  const whyNot = ({ data, rest, mimeType }: Payload): string | undefined => {
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
  const attach = (item: Record<string, unknown>): Attachment | undefined => {
    if (attached.length >= mostAttached) return undefined;
    if (isLink(item)) return item;
    const payload = payloadOf(item);
    if (!payload) return undefined;
    const { rest, data, mimeType } = payload;
    const kept = keptFile(keep, `${rest.type}-${attached.length + 1}.${endingOf(mimeType)}`, data);
    const unsent = "unsent" in kept ? kept.unsent : whyNot(payload);
    return { ...rest, ...kept, ...(unsent !== undefined && { unsent }) };
  };
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (!isObject(part)) return part;
    const attachment = attach(part);
    if (!attachment) return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
    attached.push(attachment);
    return attachment;
  };
  const left = walk(value);
  return attached.length > 0 ? { value: left, attached } : { value, attached };
}

/** What stands for an attachment in a text. */
export function showAttachment(attachment: Attachment, number: number): string {
  const { type, uri, resource, bytes, artifact, unsent } = attachment;
  const mimeType = attachment.mimeType ?? resource?.["mimeType"];
  const size = bytes === undefined ? undefined : bytes < 1000 ? `${bytes} bytes` : `${Math.ceil(bytes / 1000)} kB`;
  const about = [resource?.["uri"] ?? uri, mimeType, size].filter((part) => part !== undefined).join(", ");
  const why =
    unsent === undefined ? "" : `; not shown here: ${unsent}${artifact === undefined ? "" : `; it is in ${artifact}`}`;
  return `[${type} ${number}: ${about}${why}]`;
}

function keptFile(keep: Keep, name: string, data: string | Uint8Array) {
  const bytes = Buffer.byteLength(data);
  try {
    return { artifact: keep(name, data).uri, bytes };
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
  if (type !== "resource" || !isObject(resource) || typeof resource["uri"] !== "string") return undefined;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
