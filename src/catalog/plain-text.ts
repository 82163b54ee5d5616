/**
 * Text of a server or a guest made safe to show to a person, a terminal or a model: terminal escapes, control characters
 * (but newline and tab), text-direction controls and invisible characters are gone, and at most `maxLength` UTF-16 units are left.
 */
export function plainText(text: string, maxLength: number): string {
  // What is removed could be endless; four times the wanted length is read at most.
  const read = text.slice(0, maxLength * 4);
  const plain = read
    .replace(terminalEscape, "")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(unsafeCharacter, "")
    .replace(/\p{Surrogate}/gu, "\ufffd");
  const whole = plain.length <= maxLength && read.length === text.length;
  return whole ? plain : `${plain.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, "")}…`;
}

/** The same on a single line: every run of white space is one space. */
export function plainLine(text: string, maxLength: number): string {
  return plainText(
    plainText(text, maxLength * 2)
      .replace(/\s+/g, " ")
      .trim(),
    maxLength,
  );
}

/**
 * ECMA-48: CSI sequences, the string sequences (OSC, DCS, SOS, PM, APC) up to their end, and two-character escapes. A string ends
 * where the next begins: otherwise every start without an end would read the whole text.
 */
const terminalEscape =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\u009d\u0090\u0098\u009e\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?/g;

/**
 * Controls; bidirectional controls; zero-width space, joiner and byte order mark; the blocks of tags and of supplementary variation
 * selectors, in which whole sentences can hide from people. ZWJ and ZWNJ stay: scripts and emoji need them.
 */
const unsafeCharacter =
  /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;
