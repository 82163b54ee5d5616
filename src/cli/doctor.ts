import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { print, printJson } from "./terminal/print.ts";
import { withProgress } from "./terminal/progress.ts";

export const doctor = defineCommand({
  description: "Check configuration, storage, engine and every server; each finding with its fix",
  async run(args) {
    const { examine, showFindings } = await import("../app/doctor.ts");
    const findings = await withProgress(args, (onProgress) => examine(() => openCoordinator(args), onProgress));
    if (args.json) printJson(findings);
    else print(showFindings(findings));
    return findings.some(({ status }) => status === "fail") ? 1 : 0;
  },
});
