import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// On a clean clone nothing is known of earlier runs, and Vitest starts with the longest texts. These take longest, half a minute
// or more: started late, one of them would keep one worker busy while the other has nothing left to do.
const longest =
  /test\/(engines\/conformance|engines\/container|attacks\/\w+|pressure\/(?:client|guest|server)|environments|clients|fleet|artifacts|npm-packages|cli\/\w+|faults\/\w+)\.test\.ts$/;

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
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // Real child processes on two cores: more workers would only make them wait for each other.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
