import type { ServerConfig } from "../../src/config/server.ts";
import { createDoor } from "../../src/door/door.ts";
import { createJournalRecorder } from "../../src/door/journal-recorder.ts";
import { type AnyOperation, type OperationContext, perform } from "../../src/operations/operation.ts";
import type { Services } from "../../src/operations/services.ts";
import type { Execute } from "../../src/runtime/execute.ts";
import { createLibraries } from "../../src/runtime/libraries/libraries.ts";
import { createObservations } from "../../src/runtime/libraries/observations.ts";
import type { RunResult } from "../../src/runtime/results/run-result.ts";
import { createRunsUnderWay } from "../../src/runtime/runs/runs-under-way.ts";
import type { Mirror } from "../../src/skills/mirror.ts";
import { createSkillBook } from "../../src/skills/skill-book.ts";
import { createArtifactsInMemory } from "../stores/in-memory/artifacts.ts";
import { createCatalogsInMemory } from "../stores/in-memory/catalog-cache.ts";
import { createChangesInMemory } from "../stores/in-memory/definition-changes.ts";
import { createJournalInMemory } from "../stores/in-memory/journal.ts";
import { createMemoryInMemory } from "../stores/in-memory/memory-store.ts";
import { createObservedInMemory } from "../stores/in-memory/observed-results.ts";
import { createSkillsInMemory } from "../stores/in-memory/skill-store.ts";

/** A server that is configured, and that nobody starts. */
const dataServer: ServerConfig = {
  ...{ transport: "stdio", name: "data", command: "nothing", args: [], env: {} },
  tools: { allow: [], deny: [] },
};
const dataTools = [{ name: "orders", inputSchema: { type: "object" } }];

export const ranWell: RunResult = { status: "ok", run: "r", calls: { total: 0, failed: 0 } };

/**
 * What operations need that work on stores: all in memory. There is a server "data" with a tool "orders"; no upstream is
 * reached, and `execute` only answers.
 */
export async function createServices({ execute = async () => ranWell }: { readonly execute?: Execute } = {}) {
  const journal = createJournalInMemory();
  const observed = createObservedInMemory();
  const door = createDoor({
    upstreams: { to: unreached },
    gates: [],
    recorders: [createJournalRecorder(journal)],
    runs: journal,
  });
  const libraries = createLibraries({ servers: [dataServer], door, cache: createCatalogsInMemory() });
  await libraries.learn(dataServer, { tools: dataTools });
  const parts = {
    journal,
    door,
    libraries,
    observed,
    observations: createObservations({ libraries, store: observed }),
    definitionChanges: createChangesInMemory(),
    underWay: createRunsUnderWay(),
    artifacts: createArtifactsInMemory(),
    memory: createMemoryInMemory(),
    skills: createSkillBook({
      store: createSkillsInMemory(),
      mirror: createMirrorInMemory(),
      libraries,
      execute,
      door,
    }),
    maxTokens: 4000,
  } satisfies Partial<Services>;
  return { ...parts, services: parts as Partial<Services> as Services };
}

/** Runs one of these operations by its name, and answers with the data that came of it. */
export function runnerOf(operations: readonly AnyOperation[]) {
  return async (name: string, args: unknown, context: Partial<OperationContext> = {}): Promise<unknown> => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`There is no operation ${name}`);
    return (await perform(operation, args, context)).data;
  };
}

function unreached(): never {
  throw new Error("No upstream is reached here");
}

/** Files that nobody edits: only that they are there, and of which version. */
function createMirrorInMemory(): Mirror {
  const marks = new Map<string, string>();
  let last = 0;
  return {
    prepare: ({ name }) => ({
      place() {
        const mark = `mark ${++last}`;
        marks.set(name, mark);
        return mark;
      },
      discard() {},
    }),
    remove: (name) => void marks.delete(name),
    mark: (name) => marks.get(name),
    marks: async () => new Map(marks),
    read(name) {
      throw new Error(`${name} is not read here`);
    },
  };
}
