/** The rules of one file, as they stand in it. */
export interface Policy {
  readonly preset?: "open" | "careful" | "locked";
  readonly trust?: readonly string[];
  readonly rules?: readonly object[];
}

/** Whose rules they are; the files of the others have none. */
export interface Files {
  readonly managed?: Policy;
  readonly user?: Policy;
  readonly project?: Policy;
}

/** A call that a guest makes, and what comes of it: whether the server acts, and what the guest is told. */
export interface Call {
  readonly tool: string;
  /** JSON, which the guest reads by itself: a text where it is more than what a value can say. */
  readonly args?: string | object;
  readonly end: Ending;
  /** In Python, where that is another. */
  readonly inPython?: Ending;
  /** The rule that the guest is told of. */
  readonly by?: string;
  /** What reaches the server, where that is not what the guest has written. */
  readonly sent?: unknown;
}

/** refused: it is no arguments, and no rule was asked. */
export type Ending = "done" | "asked" | "denied" | "refused";

/** In arguments: the guest puts a million letters in its place. */
export const million = "MILLION";

interface About {
  readonly id: string;
  /** What is tried, as the table in docs/security.md has it. */
  readonly what: string;
}

/** Calls that guests of both languages make while these rules are in force. */
export interface CallsRow extends About {
  readonly files: Files;
  readonly calls: readonly Call[];
}

/** What only a program of its own can show. */
export interface TestsRow extends About {
  /** By file and the beginning of the name; "both" where each test is made in TypeScript and in Python. */
  readonly tests: readonly (readonly [file: string, name: string])[];
}

/** What cannot be tried yet: the face that it is about does not exist. */
export interface LaterRow extends About {
  /** The issue that builds it, and takes this mark away. */
  readonly later: string;
}

export type Row = CallsRow | TestsRow | LaterRow;

export const user = (...rules: readonly object[]): Files => ({ user: { rules } });

export const deny = (id: string, match: object, more: object = {}) => ({ id, match, action: "deny", ...more });
export const ask = (id: string, match: object, more: object = {}) => ({ id, match, action: "ask", ...more });
export const allow = (id: string, match: object, more: object = {}) => ({ id, match, action: "allow", ...more });
