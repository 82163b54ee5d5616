// The coordinator inside your own program. Node 24 and TypeScript can write `await using` instead of the `finally`.
//
//   node examples/library.mjs
import { Coordinator } from "mcp-coordinator";

const coordinator = await Coordinator.open({ config: new URL("configs/local.json", import.meta.url) });
try {
  // Guest code in the sandbox: a failure of the guest is a status, not an exception.
  const run = await coordinator.execute({
    code: `
      import { read_text_file } from "mcp_tools/filesystem";
      const { content } = await read_text_file({ path: "sales.csv" });
      content.trim().split("\\n").length - 1;`,
  });
  console.log(run.status, run.result, run.calls);

  // A mistake is answered before anything runs.
  const mistake = await coordinator.execute({
    code: `import { read_text_fil } from "mcp_tools/filesystem";`,
  });
  console.log(mistake.status, mistake.error?.problems?.[0]?.message);

  // One tool, without code.
  console.log(await coordinator.callTool("everything", "get-sum", { a: 20, b: 22 }));
} finally {
  await coordinator.close();
}
