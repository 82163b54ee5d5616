import type { Reporter, TestModule } from "vitest/node";

/** Says at the end which tests this machine could not run, and why: so many by each reason that a test gave. */
export class SkippedReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const [reason, count] of countReasons(modules)) {
      console.log(`skipped: ${count} ${count === 1 ? "test" : "tests"} of ${reason}`);
    }
  }
}

function countReasons(modules: readonly TestModule[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      const result = test.result();
      const reason = result.state === "skipped" ? result.note : undefined;
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  return counts;
}
