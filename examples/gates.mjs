// A program that embeds the coordinator and refuses what it does not want done, whoever asks for it: guests, skills, its own calls.
//
//   node examples/gates.mjs
import { Coordinator, CoordinatorError } from "mcp-coordinator";

/** Judges every act before it is sent; to say nothing lets it pass. */
const noWriting = {
  name: "no writing",
  judge({ kind, server, name }) {
    if (kind !== "tool" || !/^(create|add|delete)_/.test(name)) return undefined;
    return { deny: new CoordinatorError("tool_denied", `This program does not let anybody use ${server}.${name}`) };
  },
};

const config = new URL("configs/local.json", import.meta.url);
const coordinator = await Coordinator.open({ config, gates: [noWriting] });
try {
  const run = await coordinator.execute({
    code: `
      import { create_entities, read_graph } from "mcp_tools/memory";
      await read_graph();
      await create_entities({ entities: [{ name: "east", entityType: "region", observations: [] }] });`,
  });
  console.log(run.status, run.error?.message);

  // What was refused is in the journal too, with its reason.
  const { toolCalls } = await coordinator.run("get_run", { run: run.run });
  for (const { tool, outcome } of toolCalls) console.log(tool, outcome);
} finally {
  await coordinator.close();
}
