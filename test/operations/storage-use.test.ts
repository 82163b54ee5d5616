import { expect, test } from "vitest";
import type { Config } from "../../src/config/load.ts";
import { storageUse } from "../../src/operations/storage-use.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { skillDraft } from "../stores/skill-draft.ts";
import { createServices } from "./services.ts";

const config = {
  journal: { maxMb: 1 },
  artifacts: { maxMb: 2 },
  skills: { maxMb: 3, maxSkills: 30 },
  memory: { maxMb: 4 },
  workspace: { maxMb: 5, maxFiles: 50, root: "/work" },
} as Config;
const workspace = { used: async () => ({ bytes: 500, files: 5 }) } as Partial<Workspace> as Workspace;

test("each store is told with what it holds, its limit, and how to make room where that is needed", async () => {
  const { services, artifacts, memory, skills } = await createServices();
  await artifacts.save("r1", "a.txt", "four");
  await memory.set({ namespace: "default", key: "k", value: 1 });
  await skills.store.save(skillDraft("a"));
  const used = await storageUse({ ...services, config, workspace, usedBytes: async () => 1000 });
  expect(used).toEqual([
    { what: "database", bytes: 1000, maxMb: 1, setting: "journal.maxMb" },
    { what: "artifacts", bytes: 4, maxMb: 2, setting: "artifacts.maxMb" },
    {
      ...{ what: "skills", bytes: await skills.store.usedBytes(), maxMb: 3, count: 1, maxCount: 30, setting: "skills" },
      remedy: expect.stringContaining("skills rm"),
    },
    {
      ...{ what: "memory", bytes: await memory.usedBytes(), maxMb: 4, setting: "memory.maxMb" },
      remedy: expect.stringContaining("memory rm"),
    },
    {
      ...{ what: "workspace", bytes: 500, maxMb: 5, count: 5, maxCount: 50, setting: "workspace" },
      remedy: expect.stringContaining("/work"),
    },
  ]);
});
