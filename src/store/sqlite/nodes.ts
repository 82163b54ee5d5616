import { isAlive, type Owner, thisProcess } from "../../system/owner.ts";
import type { Database } from "./database.ts";

/** The processes that use the database, on this node and on others: two containers may share a data folder. */
export interface Nodes {
  /** Here the system says so; on another node it is one that was heard of lately. */
  isAlive(owner: Owner): boolean;
  close(): void;
}

/** How often a process says that it lives, and for how long it is believed. */
const beatMs = 15_000;
const leaseMs = 60_000;

export function createNodes(database: Database): Nodes {
  const { node, epoch } = thisProcess();
  const beat = () => database.run(upsert, [node, epoch, Date.now()]);
  beat();
  database.run("DELETE FROM nodes WHERE seen_at < ?", [Date.now() - 10 * leaseMs]);
  const timer = setInterval(() => {
    try {
      beat();
    } catch {
      // The database is busy or full: three more beats come before anybody takes this process for dead.
    }
  }, beatMs).unref();
  return {
    isAlive(owner) {
      const isSeen = () => database.get(selectSeen, [owner.node, owner.epoch, Date.now() - leaseMs]) !== undefined;
      return isAlive(owner) ?? isSeen();
    },
    close: () => clearInterval(timer),
  };
}

const upsert = `
  INSERT INTO nodes (node, epoch, seen_at) VALUES (?, ?, ?)
  ON CONFLICT (node, epoch) DO UPDATE SET seen_at = excluded.seen_at`;

const selectSeen = "SELECT 1 FROM nodes WHERE node = ? AND epoch = ? AND seen_at > ?";
