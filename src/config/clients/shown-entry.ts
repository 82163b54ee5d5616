import { printable } from "../../system/printable.ts";
import type { RawEntry } from "../entry.ts";

const secretWord = /key|token|secret|password|passwd|pwd|auth|credential|bearer|dsn|connection-string/i;
const secretText =
  /^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abposr]|hf|npm|pat|lin_api|secret|key|AKIA|AIza)[-_]?[\w-]{12,}$/;
/** Long, of one piece, with letters and digits: no word, no path, no package. */
const randomText = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z\d+_=-]{24,}$/;

/** How a server is reached, on one line, with what may be a secret hidden. */
export function shownEntry({ command, args, url }: RawEntry): string {
  if (typeof url === "string") return printable(shownText(url));
  const words = Array.isArray(args) ? args.map(String) : [];
  const shown = words.map((word, index) => (isSecretOption(words[index - 1] ?? "") ? hidden(word) : shownText(word)));
  return printable([String(command), ...shown].join(" "));
}

function isSecretOption(word: string): boolean {
  return /^-[\w-]*$/.test(word) && secretWord.test(word);
}

function shownText(word: string): string {
  const [, option = "", value = ""] = /^(--?[\w-]+=)(.*)$/s.exec(word) ?? [];
  if (option !== "") return option + (isSecretOption(option.slice(0, -1)) ? hidden(value) : shownText(value));
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(word) && URL.canParse(word)) return shownUrl(word);
  if (/^[\w-]+:\s*\S/.test(word) && /auth|key|token/i.test(word)) return `${word.slice(0, word.indexOf(":") + 1)} …`;
  return secretText.test(word) || randomText.test(word) ? hidden(word) : word;
}

/** Some remote servers have the key in the path. */
function shownUrl(text: string): string {
  const { protocol, host, pathname, search, username } = new URL(text);
  const path = pathname.split("/").map((part) => (secretText.test(part) || randomText.test(part) ? "…" : part));
  return `${protocol}//${username === "" ? "" : "…@"}${host}${path.join("/")}${search === "" ? "" : "?…"}`;
}

/** A reference to a variable is not a secret. */
function hidden(word: string): string {
  return /^\$\{[^}]*\}$/.test(word) ? word : "…";
}
