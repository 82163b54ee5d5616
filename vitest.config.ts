import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // Real child processes on two cores: more workers would only make them wait for each other.
    maxWorkers: 2,
  },
});
