import { expect, test } from "vitest";
import { estimateTokens } from "../runtime/results/tokens.ts";
import { mostShown, showInventory } from "./inventory.ts";

const servers = (count: number, description = "") =>
  Array.from({ length: count }, (_, number) => {
    return { name: `server-${number}`, module: `server_${number}`, description, tools: number };
  });
const shown = (count: number, description?: string) =>
  showInventory(servers(Math.min(count, mostShown), description), count);

test("few servers are described, more are counted, and of many the first are named", () => {
  expect(shown(0)).toBe("No servers are configured.");
  expect(shown(2, "files")).toBe("Servers: server-0: files, 0 tools; server-1: files, 1 tool.");
  expect(shown(30, "a description that is rather long")).toMatch(
    /^Servers and their number of tools: server-0 0; .*; server-29 29\.$/,
  );
  expect(shown(1000)).toMatch(/; and 9\d\d more \(cut; search_tools without arguments lists all\)\.$/);
});

test("as many are named as fit, however many there are", () => {
  for (const count of [60, 199, 200, 201, 1000, 100_000]) {
    const text = shown(count);
    const named = text.match(/server-\d+/g)?.length ?? 0;
    expect(text).toContain(`and ${count - named} more`);
    expect(estimateTokens(text)).toBeLessThanOrEqual(300);
    const oneMore = servers(named + 1).map(({ name, tools }) => `${name} ${tools}`);
    expect(estimateTokens(`Servers and their number of tools: ${oneMore.join("; ")}.`)).toBeGreaterThan(265);
  }
});

test("more servers than are looked at could never be shown", () => {
  const shortest = Array.from({ length: mostShown }, () => "a").join("; ");
  expect(estimateTokens(shortest)).toBeGreaterThan(280);
});
