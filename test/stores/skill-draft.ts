import type { SkillDraft } from "../../src/skills/skill-store.ts";

/** A skill as somebody could hand it in. */
export function skillDraft(name: string, change: Partial<SkillDraft> = {}): SkillDraft {
  return {
    name,
    language: "typescript",
    description: "Does something",
    tags: [],
    entry: { function: name, isAsync: false, calling: "positional", parameters: [{ name: "x", optional: false }] },
    tools: [{ server: "data", tool: "orders", hash: "h" }],
    imports: [],
    code: "export function f() {}",
    ...change,
  };
}
