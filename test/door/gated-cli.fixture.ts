import { Coordinator } from "../../src/app/coordinator.ts";
import { CoordinatorError } from "../../src/errors.ts";

// The command, with one more gate at the door of every coordinator that it opens: all but lists is refused.

const { open } = Coordinator;
Coordinator.open = (options) =>
  open.call(Coordinator, {
    ...options,
    gates: [
      {
        name: "planted",
        judge: ({ kind, name }) =>
          kind === "list" ? undefined : { deny: new CoordinatorError("tool_denied", `planted: no ${name}`) },
      },
    ],
  });

export * from "../../src/index.ts";

if (process.env["GATED"] === "cli") {
  const { runCommandLine } = await import("../../src/cli/line/command-line.ts");
  const { endProcess } = await import("../../src/cli/terminal/end-process.ts");
  endProcess(await runCommandLine(process.argv.slice(2)));
}
