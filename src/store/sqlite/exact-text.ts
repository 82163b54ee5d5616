/**
 * Any JavaScript string as a value that comes back the same. SQLite's text would end at a NUL when it is read and
 * has no lone surrogates, so a string with either is kept as its UTF-16 bytes; all others are kept as plain text.
 */
export function toStored(text: string): string | Uint8Array {
  return text.includes("\0") || loneSurrogate.test(text) ? Buffer.from(text, "utf16le") : text;
}

export function fromStored(stored: string | Uint8Array): string {
  return typeof stored === "string" ? stored : Buffer.from(stored).toString("utf16le");
}

const loneSurrogate = /\p{Surrogate}/u;
