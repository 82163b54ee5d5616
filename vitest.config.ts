import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SkippedReport } from "./test/skipped-report.ts";

// On a clean clone nothing is known of earlier runs, and Vitest starts with the longest texts. These take longest, half a minute
// or more: started late, one of them would keep one worker busy while the others have nothing left to do.
const longest =
  /test\/(engines\/conformance|engines\/container|attacks\/\w+|conformance\/\w+|environments|clients|fleet|artifacts|tables|npm-packages|pressure\/\w+|cli\/\w+|faults\/\w+)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: "test/fresh-build.ts",
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // Real processes end when they like: a test that lost such a race once is tried once more, and is marked as retried.
    retry: 1,
    // For two cores: a quarter of a test's time is waiting (for limits, grace periods, servers), and a third worker uses it.
    maxWorkers: 3,
    reporters: ["default", new SkippedReport()],
    sequence: { sequencer: LongestFirst },
  },
});
