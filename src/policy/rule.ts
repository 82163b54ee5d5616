import type { Hint } from "../config/rules/policy-schema.ts";

export type Action = "allow" | "ask" | "deny";
/** What an act is, as rules name it. `other` is a request that no rule can name. */
export type Kind = "tool" | "resource" | "prompt" | "completion" | "list" | "own" | "other";
export type Globs = string | readonly string[];

export type ArgumentPattern =
  | Globs
  | { readonly not: Globs }
  | { readonly host: Globs }
  | { readonly min?: number | undefined; readonly max?: number | undefined };

/** What an act has to be for a rule to fit it. What is left out fits anything; `kind` stands for tools. */
export interface Match {
  readonly server?: Globs | undefined;
  readonly tool?: Globs | undefined;
  readonly args?: Readonly<Record<string, ArgumentPattern>> | undefined;
  readonly annotations?: Hints | undefined;
  readonly kind?: Kind | readonly Kind[] | undefined;
  readonly via?: Globs | undefined;
  readonly when?: string | undefined;
}

export type Hints = { readonly [Name in Hint]?: boolean | undefined };

export interface Rule {
  readonly id?: string | undefined;
  readonly match: Match;
  readonly action: Action;
  readonly reason?: string | undefined;
  readonly approver?: Approver | undefined;
  readonly shadow?: boolean | undefined;
}

export type Approver = "client" | "dashboard" | "cli";
export type Preset = "open" | "careful" | "locked";

/** Rules from one place, and what holds where none of them fits. */
export interface Layer {
  readonly origin: "managed" | "user" | "project";
  /** The file that they are in. */
  readonly file: string;
  readonly preset?: Preset | undefined;
  readonly trust: readonly string[];
  /** What models are to see of tools that are denied whatever their arguments. */
  readonly denied?: "hide" | "mark" | undefined;
  readonly rules: readonly Rule[];
}

/** Something that is about to be done, as rules see it. */
export interface Judged {
  readonly kind: Kind;
  readonly server: string;
  /** The exact name of the tool, the method of the protocol, or our own act. */
  readonly tool: string;
  readonly args: unknown;
  /** By which face it came. */
  readonly via: string;
  /** What the accepted definition claims; nothing where there is none. */
  readonly claims?: Hints | undefined;
}
