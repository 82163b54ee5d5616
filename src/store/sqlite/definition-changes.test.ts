import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "./store.ts";

function open() {
  const folder = mkdtempSync(join(tmpdir(), "changes-"));
  const [store, other] = [openStore(folder), openStore(folder)];
  onTestFinished(() => {
    for (const one of [store, other]) one.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { changes: store.definitionChanges, others: other.definitionChanges };
}

const added = (tool: string) => ({ tool, kind: "added", parts: [], diff: "+x" }) as const;

test("each is told once, by one process, to those who have the server", async () => {
  const { changes, others } = open();
  await changes.note("server", [added("a")]);
  await changes.note("other", [added("z")]);
  const untold = await others.untold(["server", "nothing"]);
  expect([...untold]).toMatchObject([["server", [added("a")]]]);
  expect(await changes.untold(["server"])).toEqual(untold);
  await others.markTold([...untold.values()].flat());
  expect(await changes.untold(["server"])).toEqual(new Map());
  expect([...(await changes.untold(["server", "other"]))]).toMatchObject([["other", [added("z")]]]);
});

test("a server that changes all the time keeps 500", async () => {
  const { changes } = open();
  for (let round = 0; round < 3; round++) {
    await changes.note(
      "server",
      Array.from({ length: 300 }, (_, number) => added(`${round}.${number}`)),
    );
  }
  const kept = await changes.of("server");
  expect([kept.length, kept[0]?.tool, kept.at(-1)?.tool]).toEqual([500, "2.299", "1.100"]);
});
