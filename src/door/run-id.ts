import { randomBytes } from "node:crypto";

/** Short, and later ones sort after earlier ones. */
export function createRunId(): string {
  return `r${Date.now().toString(36)}${randomBytes(3).toString("hex")}`;
}
