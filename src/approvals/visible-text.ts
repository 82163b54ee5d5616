/**
 * Text of others as a person has to see it who decides about it: nothing is left out, and what a screen would obey, hide or
 * draw over its neighbours stands there as `\u{…}`. Line breaks too: those of a message are ours alone.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Controls, format characters (direction, width zero, tags), lone surrogates, what is private or unassigned; line and paragraph
 * separators; what fonts may leave out, such as variation selectors and fillers; every space but the usual one; and of marks
 * that stand above one another the fourth and later ones.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/gu;
