import { plainLine } from "../../catalog/plain-text.ts";
import { CoordinatorError } from "../../errors.ts";
import { isFlapping, type Pin } from "../../policy/pins/pin.ts";
import { writtenDifferences, writtenLines } from "../../policy/pins/written-server.ts";
import type { ConfiguredFile, ServerStanding } from "./server-pins.ts";

const longest = 600;

/** What may be a secret: parts of addresses, what follows a word such as --api-key. References to variables are none. */
const secrets: readonly RegExp[] = [
  /(?<=\/\/)(?!\$\{)[^/@\s]+(?=@)/g,
  /(?<=[?&][^=&#\s]*=)(?!\$\{)[^&#\s]+/g,
  /(?<=(?:key|token|secret|passw(?:or)?d|auth|credentials?)[\w-]*(?:=|\s))(?!\$\{|-)\S+/gi,
];

/** As a model may read it; `pins diff` shows a person all of it. */
function masked(line: string): string {
  return secrets.reduce((rest, secret) => rest.replace(secret, "…"), line);
}

/** Why a server is not started; undefined where it may be. */
export function serverRefusal(standing: ServerStanding, file: string): CoordinatorError | undefined {
  const { name, state, written, pin } = standing;
  const shown = JSON.stringify(plainLine(name, 100));
  const refusal = (code: "server_unaccepted" | "server_changed" | "tool_denied", why: string, hint: string) =>
    new CoordinatorError(code, `The server ${shown} was not started: ${plainLine(why, longest)}`, { hint });
  const accept = `The user can look at it and accept it: mcp-coordinator pins accept ${argument(name)}`;
  switch (state) {
    case "accepted":
      return undefined;
    case "unaccepted": {
      const why = `it is configured in ${file}, a file of the working folder, and nobody has accepted it (${writtenLines(written).map(masked).join("; ")})`;
      return refusal("server_unaccepted", why, accept);
    }
    case "changed": {
      const differences = pin?.written === undefined ? [] : writtenDifferences(pin.written, written);
      return refusal("server_changed", `it is not as it was accepted (${differences.map(masked).join("; ")})`, accept);
    }
    case "not in the lock":
      return refusal(
        "server_changed",
        "it is not as the lock file has it, and --frozen holds to that",
        "The user can write the lock anew: mcp-coordinator pins export",
      );
    case "blocked":
      return refusal("tool_denied", "the user has blocked it", "Do without it.");
    case "unreadable":
      return refusal("server_changed", "what was accepted of it cannot be read any more", accept);
  }
}

/** What a person is asked who may accept a server. */
export function proposalOf({ name, state, written, pin, key }: ServerStanding, file: string) {
  const changed = state === "changed" && pin?.written !== undefined ? writtenDifferences(pin.written, written) : [];
  const first =
    changed.length > 0
      ? `The server ${JSON.stringify(name)} of ${file} is not as it was accepted. May it be started?`
      : `May the server ${JSON.stringify(name)} of ${file} be started? Nobody has accepted it so far.`;
  return { id: `${name} ${key}`, lines: [first, ...(changed.length > 0 ? changed : writtenLines(written))] };
}

/** Why what a server offers cannot be used as it is now. */
export function definitionRefusal(server: string, { kind, name, state, why }: Pin): CoordinatorError {
  const what = `${kind === "tool" ? "" : `the ${kind} `}${plainLine(server, 100)}.${plainLine(name, 100)}`;
  const hint = `Nothing was sent. The user can review it: mcp-coordinator pins diff ${argument(server)} ${argument(name)}`;
  if (state === "blocked")
    return new CoordinatorError("tool_denied", `The user has blocked ${what}`, {
      hint: "Nothing was sent. Do without it.",
    });
  return new CoordinatorError("tool_changed", `Not called: ${what} ${pinText({ state, why })}`, { hint });
}

/** `was changed since it was accepted (description reworded)`, as it stands in a sentence. */
export function pinText({ state, why }: Pick<Pin, "state" | "why">): string {
  const more = why.length === 0 ? "" : ` (${plainLine(why.join(", "), 300)})`;
  switch (state) {
    case "accepted":
      return `is as it was accepted${more}`;
    case "changed":
      return `has changed since it was accepted${more}`;
    case "new":
      return `is new since the server's tools were accepted, and needs review${more}`;
    case "blocked":
      return "is blocked by the user";
    case "unreadable":
      return "cannot be compared: what was accepted of it cannot be read any more";
  }
}

/** What is said when servers count as accepted that nobody was asked about. */
export function acceptedText(
  names: readonly string[],
  { file, origin }: Pick<ConfiguredFile, "file" | "origin">,
): string {
  const why = origin === "user" ? "as they are" : "since they were in use before servers were accepted";
  return `The servers of ${file} count as accepted ${why}: ${names.join(", ")}. From now on one that is started otherwise has to be accepted (mcp-coordinator pins).`;
}

const mostNamed = 5;

/** What is told of definitions that are not as they were accepted. */
export function newsText(server: string, news: readonly Pin[]): string {
  const named = news.slice(0, mostNamed).map((pin) => `${pin.name || pin.kind} ${pinText(pin)}`);
  const more = news.length > mostNamed ? `; ${news.length - mostNamed} more` : "";
  const flapping = news.find((pin) => isFlapping(pin, Date.now()));
  const proposal = flapping
    ? ` ${flapping.name} says something else all the time: "pins": { "ignore": { ${JSON.stringify(flapping.name)}: ["description"] } } in the server's entry lets that pass.`
    : "";
  return `${named.join("; ")}${more}. They cannot be used until the user accepts them: mcp-coordinator pins diff ${server}.${proposal}`;
}

/** A name as a word of a command line. */
function argument(name: string): string {
  const line = plainLine(name, 100);
  return /^[\w.:/@-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
