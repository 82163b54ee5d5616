import { isFields } from "../system/fields.ts";

/**
 * How long the bytes of images, audio and resources in a value are, as text. They are not output in the sense of its limit:
 * a client gets them as content of its own, or as a file.
 */
export function mediaLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + mediaLength(part), 0);
  if (!isFields(value)) return 0;
  const { type, data, resource } = value;
  if (type === "image" || type === "audio") return typeof data === "string" ? data.length : 0;
  if (type === "resource" && isFields(resource)) {
    const { text, blob } = resource;
    return typeof text === "string" ? text.length : typeof blob === "string" ? blob.length : 0;
  }
  return Object.values(value).reduce<number>((sum, part) => sum + mediaLength(part), 0);
}
