import { expect, test } from "vitest";
import { floatingPackage } from "./floating-package.ts";

const floating = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  const found = floatingPackage(command, args);
  return found && [found.registry, found.name, args[found.index], found.exact];
};

test.each([
  ["npx -y notes", ["npm", "notes", "notes", "notes@VERSION"]],
  ["npx -y @scope/notes --port 3", ["npm", "@scope/notes", "@scope/notes", "@scope/notes@VERSION"]],
  ["npx notes@latest", ["npm", "notes", "notes@latest", "notes@VERSION"]],
  ["npx notes@^1.2.3", ["npm", "notes", "notes@^1.2.3", "notes@VERSION"]],
  ["npx notes@1", ["npm", "notes", "notes@1", "notes@VERSION"]],
  ["npx notes@1.x", ["npm", "notes", "notes@1.x", "notes@VERSION"]],
  ["npx --package=notes start", ["npm", "notes", "--package=notes", "notes@VERSION"]],
  ["C:\\node\\npx.cmd -y notes", ["npm", "notes", "notes", "notes@VERSION"]],
  ["pnpm dlx notes", ["npm", "notes", "notes", "notes@VERSION"]],
  ["uvx notes-mcp", ["pypi", "notes-mcp", "notes-mcp", "notes-mcp==VERSION"]],
  ["uvx notes-mcp@latest", ["pypi", "notes-mcp", "notes-mcp@latest", "notes-mcp==VERSION"]],
  ["uvx --python 3.12 --from notes[all] serve", ["pypi", "notes", "notes[all]", "notes[all]==VERSION"]],
  ["uv tool run notes", ["pypi", "notes", "notes", "notes==VERSION"]],
  ["pipx run notes", ["pypi", "notes", "notes", "notes==VERSION"]],
  ["docker run -i --rm -e TOKEN notes/mcp", ["container", "notes/mcp", "notes/mcp", "notes/mcp@sha256:DIGEST"]],
  [
    "podman run --rm host:5000/notes:latest",
    ["container", "host:5000/notes", "host:5000/notes:latest", "host:5000/notes@sha256:DIGEST"],
  ],
])("%s is left open", (line, expected) => expect(floating(line)).toEqual(expected));

test.each([
  "npx -y notes@1.2.3",
  "npx @scope/notes@1.2.3-beta.1",
  "npx ./server",
  "npx -p notes@1.0.0 start",
  "uvx notes==1.2",
  "uvx notes@1.2.3",
  "uvx --from ./notes serve",
  "docker run --rm notes/mcp:1.2",
  `docker run --rm notes/mcp@sha256:${"a".repeat(64)}`,
  "docker ps",
  "node server.js",
  "npm run serve",
  "npx",
  "uvx",
])("%s is not", (line) => expect(floating(line)).toBe(undefined));
