import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const bench = fileURLToPath(new URL("../bench/", import.meta.url));
const { connectRaw } = await import(`${bench}raw-client.mjs`);

const guests = {
  typescript: 'import { echo } from "mcp_tools/echo"; [await echo({ message: "one" }), await echo({ message: "two" })]',
  python: 'from mcp_tools.echo import echo\n[echo(message="one"), echo(message="two")]',
};

// It is made of parts of src/, one of them replaced, and nothing else notices when those no longer fit together.
test("the bare relay of the bench runs the product's guests in both languages", { timeout: 120_000 }, async () => {
  const relay = await connectRaw({ args: [`${bench}relay-host.mjs`], stderr: "inherit" });
  try {
    for (const [language, code] of Object.entries(guests)) {
      expect(await relay.callTool("run", { code, language })).toEqual(["one", "two"]);
    }
  } finally {
    await relay.close();
  }
});
