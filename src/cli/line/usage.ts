import { styleText } from "node:util";
import { version } from "../../system/version.ts";
import type { Argument } from "./arguments.ts";
import type { Command } from "./command.ts";

type Row = readonly [left: string, right: string];
type Style = Parameters<typeof styleText>[0];

/** What `--help` prints of a command. The path is all its names: `mcp-coordinator runs list`. */
export async function usageOf(command: Command, path: string, { colours = false } = {}): Promise<string> {
  const paint = (style: Style, text: string) => (colours ? styleText(style, text) : text);
  const all = Object.entries(command.args);
  const words = all.filter(([, { type }]) => type === "positional");
  const options = all.filter(([, { type }]) => type !== "positional");
  const commands: Row[] = [];
  for (const [name, sub] of Object.entries(command.subCommands ?? {})) {
    commands.push([name, (typeof sub === "function" ? await sub() : sub).description]);
  }
  const line = [
    `${path} [OPTIONS]`,
    ...words.map(([name, { required }]) => (required ? `<${name.toUpperCase()}>` : `[${name.toUpperCase()}]`)),
    ...options.flatMap(([name, option]) => (option.required ? [`--${name}${shownValue(name, option)}`] : [])),
    ...(commands.length > 0 ? [commands.map(([name]) => name).join("|")] : []),
  ];
  const section = (title: string, rows: readonly Row[]) => {
    if (rows.length === 0) return [];
    const width = Math.max(...rows.map(([left]) => left.length));
    const lines = rows.map(([left, right]) => `  ${paint("cyan", left.padStart(width))}    ${right}`.trimEnd());
    return [`${paint(["underline", "bold"], title)}\n\n${lines.join("\n")}`];
  };
  const more = `Use ${paint("cyan", `${path} <command> --help`)} for more information about a command.`;
  return [
    paint("gray", `${command.description} (${path} v${version})`),
    `${paint(["underline", "bold"], "USAGE")} ${paint("cyan", line.join(" "))}`,
    ...section(
      "ARGUMENTS",
      words.map(([name, argument]) => [name.toUpperCase(), describe(argument)] as const),
    ),
    ...section(
      "OPTIONS",
      options.flatMap(([name, option]) => optionRows(name, option)),
    ),
    ...section("COMMANDS", commands),
    ...(commands.length > 0 ? [more] : []),
  ].join("\n\n");
}

function optionRows(name: string, option: Argument): Row[] {
  const row: Row = [`--${name}${shownValue(name, option)}`, describe(option)];
  return option.default === true ? [row, [`--no-${name}`, option.negativeDescription ?? ""]] : [row];
}

function shownValue(name: string, { type, valueHint, choices }: Argument): string {
  if (type === "boolean") return "";
  const usual = {
    number: "number",
    list: "a,b",
    string: name,
    many: name,
    choice: choices?.join("|"),
    positional: name,
  };
  return `=<${valueHint ?? usual[type]}>`;
}

function describe({ description, required, default: usual }: Argument): string {
  return `${description}${required ? " (Required)" : ""}${usual === undefined ? "" : ` (Default: ${usual})`}`;
}
