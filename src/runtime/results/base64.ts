/** The bytes of a Base64 text; undefined for any other. By the length: a pattern over megabytes takes long. */
export function fromBase64(text: string): Buffer | undefined {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const decoded = Buffer.from(text, "base64");
  return text.length % 4 === 0 && decoded.length === (text.length / 4) * 3 - padding ? decoded : undefined;
}
