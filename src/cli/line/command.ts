import { type Arguments, commonArguments, readArguments, type Values } from "./arguments.ts";

/** A command, or a group of them. */
export interface Command {
  readonly description: string;
  readonly args: Arguments;
  /** Runs it with the words behind its name and answers the exit code. A group without a command of its own has none. */
  readonly run?: (words: readonly string[]) => Promise<number>;
  /** Each may be loaded when it is asked for. */
  readonly subCommands?: Readonly<Record<string, Command | (() => Promise<Command>)>>;
}

interface Definition<Args extends Arguments> {
  readonly description: string;
  /** Beside those that every command takes. */
  readonly args?: Args;
  /** A number is the exit code; without one it is 0. */
  run(given: Values<Args & typeof commonArguments>): Promise<number | undefined> | Promise<void>;
}

export function defineCommand<const Args extends Arguments>({ description, args, run }: Definition<Args>): Command {
  const all = { ...args, ...commonArguments } as Args & typeof commonArguments;
  return { description, args: all, run: async (words) => (await run(readArguments(words, all))) ?? 0 };
}

export function defineGroup(description: string, subCommands: Command["subCommands"] & {}): Command {
  return { description, args: commonArguments, subCommands };
}
