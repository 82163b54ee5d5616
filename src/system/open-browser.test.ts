import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBrowser } from "./open-browser.ts";

const { PATH } = process.env;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-browser-"));
  process.env["PATH"] = folder;
});
afterEach(() => {
  process.env["PATH"] = PATH;
  rmSync(folder, { recursive: true });
});

function writeOpener(script: string): void {
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "xdg-open"), 0o755);
}

test("the address is one argument, whatever it holds", async () => {
  writeOpener(`printf '%s|' "$@" > ${join(folder, "seen")}`);
  const address = "https://example.org/?a=1&b=$(touch x);'\"`x`";
  expect(await openBrowser(address, "linux")).toBe(true);
  expect(readFileSync(join(folder, "seen"), "utf8")).toBe(`${address}|`);
});

test("no program, or one that finds no browser, is no browser", async () => {
  expect(await openBrowser("https://example.org", "linux")).toBe(false);
  writeOpener("exit 3");
  expect(await openBrowser("https://example.org", "linux")).toBe(false);
});
