import { sep } from "node:path";

/** How a client writes variables inside the strings of a server. */
export type Family =
  /** Not at all. */
  | "none"
  /** `${VAR}` and `${VAR:-default}`, as we do. */
  | "braces"
  /** `${env:VAR}`, `${userHome}`, `${workspaceFolder}`, `${input:id}`. */
  | "env"
  /** `$VAR` and `${VAR}`. */
  | "dollar"
  /** `{env:VAR}` and `{file:path}`. */
  | "curly"
  /** `${{ secrets.NAME }}`. */
  | "secrets";

export interface Interpolated {
  readonly text: string;
  /** What has no equivalent here, as it is written there. */
  readonly lost: readonly string[];
}

type Replace = (name: string, fallback: string | undefined, whole: string) => string | undefined;

const variable = (name: string, fallback?: string): string =>
  `\${${name}${fallback === undefined ? "" : `:-${fallback}`}}`;

/** A string of a client in our own writing. `folder` is that of the project which the file belongs to. */
export function interpolate(text: string, family: Family, folder?: string): Interpolated {
  const lost: string[] = [];
  const apply = (pattern: RegExp, replace: Replace) =>
    text.replace(pattern, (whole: string, name: string, fallback?: string) => {
      const replaced = replace(name, fallback, whole);
      if (replaced === undefined) lost.push(whole);
      return replaced ?? whole;
    });
  switch (family) {
    case "env":
      return { text: apply(/\$\{([^{}]*)\}/g, (name) => editorVariable(name, folder)), lost };
    case "dollar":
      return {
        text: apply(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (braced, bare) => variable(braced ?? bare ?? "")),
        lost,
      };
    case "curly":
      return { text: apply(/\{(env:\w+|file:[^{}]*)\}/g, (name) => fileOrVariable(name)), lost };
    case "secrets":
      return { text: apply(/\$\{\{\s*(?:secrets|inputs)\.(\w+)\s*\}\}/g, (name) => variable(name)), lost };
    case "none":
      // Where it is plain text, we would put a value in its place.
      return { text: apply(/\$\{([^{}]*)\}/g, () => undefined), lost };
    case "braces":
      return { text, lost };
  }
}

function editorVariable(name: string, folder: string | undefined): string | undefined {
  if (name.startsWith("env:")) return variable(name.slice("env:".length));
  if (name === "userHome") return variable(name);
  if (name === "pathSeparator" || name === "/") return sep;
  if (name === "workspaceFolder") return folder;
  return undefined;
}

function fileOrVariable(name: string): string | undefined {
  return name.startsWith("env:") ? variable(name.slice("env:".length)) : undefined;
}
