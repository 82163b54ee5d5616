import type { ToolChange } from "../../catalog/compare-definitions.ts";
import type { DefinitionChanges, NoticedChange, UntoldChange } from "../../runtime/libraries/definition-changes.ts";
import type { Database } from "./database.ts";

const mostKept = 500;

export function createDefinitionChanges(database: Database): DefinitionChanges {
  return {
    note: async (identity, changes) =>
      database.transaction(() => {
        const now = Date.now();
        for (const { tool, kind, parts, diff } of changes.slice(0, mostKept)) {
          database.run(insert, [identity, now, tool, kind, parts.join(","), diff]);
        }
        database.run(removeOldest, [identity, identity, mostKept]);
      }),
    of: async (identity) => database.all<Row>(select, [identity]).map(changeOf),
    async untold(identities) {
      const found = new Map<string, UntoldChange[]>();
      if (database.get(selectAnyUntold) === undefined) return found;
      for (const row of database.all<Row & { number: number }>(selectUntold, [JSON.stringify([...identities])])) {
        found.set(row.identity, [...(found.get(row.identity) ?? []), { ...changeOf(row), number: row.number }]);
      }
      return found;
    },
    async markTold(changes) {
      database.run(markTold, [JSON.stringify(changes.map(({ number }) => number))]);
    },
  };
}

interface Row {
  identity: string;
  noticed_at: number;
  tool: string;
  kind: ToolChange["kind"];
  parts: string;
  diff: string;
}

function changeOf({ tool, kind, parts, diff, noticed_at: at }: Row): NoticedChange {
  return { tool, kind, parts: parts.split(",").filter((part) => part !== ""), diff, at };
}

const insert =
  "INSERT INTO definition_changes (identity, noticed_at, tool, kind, parts, diff) VALUES (?, ?, ?, ?, ?, ?)";

const removeOldest = `
  DELETE FROM definition_changes WHERE identity = ? AND number <=
    (SELECT number FROM definition_changes WHERE identity = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`;

const select = `
  SELECT identity, noticed_at, tool, kind, parts, diff FROM definition_changes WHERE identity = ? ORDER BY number DESC`;

const selectAnyUntold = "SELECT 1 FROM definition_changes WHERE told = 0 LIMIT 1";

const selectUntold = `
  SELECT number, identity, noticed_at, tool, kind, parts, diff FROM definition_changes
  WHERE told = 0 AND identity IN (SELECT value FROM json_each(?)) ORDER BY number`;

const markTold = "UPDATE definition_changes SET told = 1 WHERE number IN (SELECT value FROM json_each(?))";
