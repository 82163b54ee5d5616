import { defineCommand } from "./line/command.ts";
import { useCompileCache } from "./process/compile-cache.ts";
import { print, printJson } from "./terminal/print.ts";
import { withProgress } from "./terminal/progress.ts";

export const doctor = defineCommand({
  description: "Check configuration, storage, engine and every server; each finding with its fix",
  async run(args) {
    useCompileCache();
    const { examine, showFindings } = await import("../app/doctor.ts");
    const options = args.config === undefined ? {} : { path: args.config };
    const findings = await withProgress(args, (onProgress) => examine(options, onProgress));
    if (args.json) printJson(findings);
    else print(showFindings(findings));
    return findings.some(({ status }) => status === "fail") ? 1 : 0;
  },
});
