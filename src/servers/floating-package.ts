/** A package that a command fetches anew: whatever its publisher has put there last. */
export interface FloatingPackage {
  readonly registry: "npm" | "pypi" | "container";
  /** Without a version or a tag. */
  readonly name: string;
  /** The word that names it. */
  readonly index: number;
  /** How the word is written that holds it; VERSION stands for what is to be filled in. */
  readonly exact: string;
}

/** The package whose version is left open by a command; undefined for one that names it, and for commands that fetch none. */
export function floatingPackage(command: string, args: readonly string[]): FloatingPackage | undefined {
  const program = (command.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|ps1)$/i, "");
  const words = args.map((word, index) => ({ word, index }));
  if (program === "npx" || (program === "bunx" && words.length > 0)) return npmPackage(words);
  if (["npm", "pnpm", "yarn", "bun"].includes(program) && ["exec", "dlx", "x"].includes(args[0] ?? ""))
    return npmPackage(words.slice(1));
  if (program === "uvx") return pypiPackage(words);
  if (program === "uv" && args[0] === "tool" && args[1] === "run") return pypiPackage(words.slice(2));
  if (program === "pipx" && args[0] === "run") return pypiPackage(words.slice(1));
  if (["docker", "podman"].includes(program) && args[0] === "run") return image(words.slice(1));
  return undefined;
}

interface Word {
  readonly word: string;
  readonly index: number;
}

/** The value of an option that names the package, else the first word that is no option. */
function named(words: readonly Word[], options: readonly string[], withValue: readonly string[]): Word | undefined {
  for (let at = 0; at < words.length; at++) {
    const { word, index } = words[at] as Word;
    const [option, value] = word.split(/=(.*)/s, 2);
    if (options.includes(option ?? "")) return value === undefined ? words[at + 1] : { word: value, index };
    if (!word.startsWith("-")) return { word, index };
    if (word === "--") return words[at + 1];
    if (withValue.includes(word)) at++;
  }
  return undefined;
}

function npmPackage(words: readonly Word[]): FloatingPackage | undefined {
  const found = named(words, ["-p", "--package"], ["--registry", "--cache", "-c", "--call"]);
  // A folder, a file, an address or a repository says by itself which one it is.
  const [, name, version] = /^(@[\w.~-]+\/[\w.~-]+|[\w.~-]+)(?:@(.*))?$/.exec(found?.word ?? "") ?? [];
  if (!found || name === undefined || name.startsWith(".") || isExact(version)) return undefined;
  return { registry: "npm", name, index: found.index, exact: `${name}@VERSION` };
}

function pypiPackage(words: readonly Word[]): FloatingPackage | undefined {
  const withValue = [
    "--with",
    "--python",
    "-p",
    "--index-url",
    "--index",
    "--default-index",
    "--directory",
    "--env-file",
  ];
  const found = named(words, ["--from", "--spec"], withValue);
  const [, name, extras = "", version] = /^([\w.-]+)(\[[^\]]*\])?(?:(?:==|@)(.*))?$/.exec(found?.word ?? "") ?? [];
  if (!found || name === undefined || /^\.|\.whl$|\.tar\.gz$/.test(name) || isExact(version)) return undefined;
  return { registry: "pypi", name, index: found.index, exact: `${name}${extras}==VERSION` };
}

const imageOptionsWithValue =
  /^(?:-[evpuwhlm]|--(?:env|env-file|volume|mount|publish|user|workdir|network|name|entrypoint|label|memory|cpus|pull|platform|add-host|hostname|gpus|device|cap-add|cap-drop|security-opt|tmpfs|ulimit|restart|log-driver|pids-limit|shm-size))$/;

function image(words: readonly Word[]): FloatingPackage | undefined {
  for (let at = 0; at < words.length; at++) {
    const { word, index } = words[at] as Word;
    if (word.startsWith("-")) {
      if (imageOptionsWithValue.test(word)) at++;
      continue;
    }
    if (word.includes("@sha256:")) return undefined;
    const [, name = word, tag] = /^(.*?)(?::([\w.-]+))?$/.exec(word) ?? [];
    if (tag !== undefined && tag !== "latest") return undefined;
    return { registry: "container", name, index, exact: `${name}@sha256:DIGEST` };
  }
  return undefined;
}

/** Not a tag such as latest, and not a range. */
function isExact(version: string | undefined): boolean {
  return (
    version !== undefined && /^v?\d+\.\d[\w.-]*(?:\+[\w.-]+)?$/.test(version) && !/(?:^|\.)[xX*](?:\.|$)/.test(version)
  );
}
