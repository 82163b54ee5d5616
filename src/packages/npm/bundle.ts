import { constants } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CoordinatorError } from "../../errors.ts";
import { type ConfinedEnd, runConfined } from "../../sandbox/confined/run-confined.ts";
import type { FindProgram } from "../../sandbox/engine.ts";

/**
 * Makes an import of a package, `lodash` or `lodash/fp`, with everything that it needs, the text of one CommonJS module.
 * The bundler sees the folder of packages and nothing else.
 */
export type Bundle = (specifier: string, nodeModules: string) => Promise<Bundled>;

/** `absent`: the package has nothing under that name. */
export type Bundled = { readonly code: string } | { readonly problem: string; readonly absent?: boolean };

/** A program travels to its guest with all its modules: the runtime takes as much of them together (see runtime/modules/link-modules.ts). */
const largestBundle = 4_000_000;
const timeoutSeconds = 60;
const mostAttempts = 4;
const mostErrors = 40;

export function createBundle(findProgram: FindProgram): Bundle {
  return async (specifier, nodeModules) => {
    const folder = await mkdtemp(join(tmpdir(), "mcp-coordinator-bundle-"));
    try {
      const name = JSON.stringify(specifier);
      await writeFile(
        join(folder, "entry.js"),
        `import * as all from ${name};\nexport * from ${name};\nexport default all.default ?? all;\n`,
      );
      const readable = new Map([
        ["/packages/node_modules", nodeModules],
        ["/esbuild", esbuildBinary()],
      ]);
      const run = (absent: readonly string[]) =>
        runConfined({
          command: ["/esbuild", ...bundleArguments, ...absent.map((module) => `--external:${module}`)],
          readable,
          writable: { inside: "/packages/work", outside: folder },
          env: new Map(),
          reachable: [],
          ...{ timeoutSeconds, maxMb: 128, findProgram },
        });
      const { end, problem } = await withoutAbsent(specifier, run);
      if (problem) return problem;
      return end.exitCode === 0 ? await readBundle(join(folder, "bundle.cjs")) : { problem: reasonOf(end) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** What a package asks for and does not have, often because it can do without, fails only where it is used. */
async function withoutAbsent(
  specifier: string,
  run: (absent: readonly string[]) => Promise<ConfinedEnd>,
): Promise<{ end: ConfinedEnd; problem?: Bundled }> {
  const absent = new Set<string>();
  for (let attempt = 1; ; attempt++) {
    const end = await run([...absent]);
    const found = [...end.output.matchAll(/Could not resolve "([^"*]+)"/g)].map(([, module = ""]) => module);
    if (found.includes(specifier)) {
      return { end, problem: { problem: `The package has nothing to import as "${specifier}"`, absent: true } };
    }
    const isNews = found.some((module) => !absent.has(module));
    if (end.exitCode === 0 || !isNews || attempt === mostAttempts) return { end };
    for (const module of found) absent.add(module);
  }
}

const bundleArguments = [
  ...["/packages/work/entry.js", "--outfile=/packages/work/bundle.cjs"],
  ...["--bundle", "--platform=node", "--format=cjs", "--target=es2022"],
  ...["--minify-whitespace", "--minify-syntax", "--legal-comments=none", "--charset=utf8"],
  // A bundle has no place of its own.
  ...['--define:import.meta.url="file:///bundle.js"', '--define:__dirname="/"', '--define:__filename="/bundle.js"'],
  ...["--color=false", "--log-level=error", `--log-limit=${mostErrors}`],
];

/** The bundler wrote it, over files of strangers: it may be a link, or anything else. */
async function readBundle(path: string): Promise<Bundled> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const about = await file.stat();
    if (!about.isFile()) return { problem: "The bundler left no file" };
    if (about.size > largestBundle) {
      const megabytes = (size: number) => Math.round(size / 100_000) / 10;
      return {
        problem: `It is too large: ${megabytes(about.size)} MB with all that it needs, and at most ${megabytes(largestBundle)} MB reach a guest`,
      };
    }
    return { code: await file.readFile("utf8") };
  } finally {
    await file.close();
  }
}

function reasonOf({ stopped, output }: ConfinedEnd): string {
  if (stopped) return `Bundling it was stopped: ${stopped}`;
  const [first = output] = /\[ERROR\] (.*)/.exec(output)?.slice(1) ?? [];
  if (/\.node" files/.test(output))
    return "It has a part in machine code (a native addon), which the sandboxes do not load";
  return `It cannot be bundled: ${first.slice(0, 300)}`;
}

const require = createRequire(import.meta.url);

/** The version is a part of what a bundle depends on. */
export function esbuildVersion(): string {
  return (require("esbuild/package.json") as { version: string }).version;
}

function esbuildBinary(): string {
  const { platform, arch } = process;
  try {
    const esbuild = createRequire(require.resolve("esbuild/package.json"));
    return join(dirname(esbuild.resolve(`@esbuild/${platform}-${arch}/package.json`)), "bin", "esbuild");
  } catch (cause) {
    const message = `npm packages cannot be bundled: there is no esbuild for ${platform}-${arch}`;
    const hint = "Install mcp-coordinator again with optional dependencies (npm install --include=optional).";
    throw new CoordinatorError("engine_unavailable", message, { hint, cause });
  }
}
