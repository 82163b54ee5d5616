import { writeFile } from "node:fs/promises";
import type { PinDiff } from "../operations/pins/pin-report.ts";
import { misused } from "./line/arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { consentOf } from "./terminal/consent.ts";
import { interruption } from "./terminal/interruption.ts";
import { print, printJson, talk } from "./terminal/print.ts";
import { printOperation } from "./terminal/print-operation.ts";
import { userName } from "./terminal/user-name.ts";

const words = {
  "server…": { type: "positional", required: true, description: "A server, then names of what it offers; all without" },
} as const;

const list = defineCommand({
  description: "How servers, and what they offer, stand to what was accepted",
  args: { server: { type: "positional", description: "Only this one" } },
  async run(args) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "list_pins", { server: args._[0] }, args);
  },
});

const diff = defineCommand({
  description: "What is not as it was accepted, whole: what it was, and what it is",
  args: words,
  async run(args) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "diff_pins", chosen(args._), args);
  },
});

const accept = defineCommand({
  description: "Accept a server, and what it offers now, after showing it and asking for a yes at the terminal",
  args: words,
  async run(args) {
    const input = chosen(args._);
    await using coordinator = await openCoordinator(args);
    const found = (await coordinator.run("diff_pins", input, { ...asCommand })) as PinDiff;
    if (found.state === "accepted" && found.definitions.length === 0) {
      if (args.json) printJson({ server: found.server, definitions: 0 });
      else print(`Everything of ${found.server} is as it was accepted.`);
      return 0;
    }
    const { showDiff } = await import("../operations/pins/pin-report.ts");
    if (!(await consentOf(`${showDiff(found)}\n\n${questionOf(found)}`))) {
      talk("Nothing was accepted.");
      return 1;
    }
    return await printOperation(coordinator, "accept_pins", { ...input, by: userName(), shown: found.shown }, args);
  },
});

const block = defineCommand({
  description: "Never start a server, or never use something that it offers",
  args: words,
  async run(args) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "block_pins", { ...chosen(args._), by: userName() }, args);
  },
});

const exportLock = defineCommand({
  description: "Write all that is accepted as a lock, for serve --frozen and other machines",
  args: {
    out: {
      type: "string",
      valueHint: "file",
      description: "Default mcp-coordinator.lock.json beside the configuration",
    },
  },
  async run(args) {
    await using coordinator = await openCoordinator(args);
    const { servicesOf } = await import("../app/services-of.ts");
    const { lockBeside } = await import("../servers/pins/read-lock.ts");
    const { lockText } = await import("../policy/pins/lock.ts");
    const context = { ...asCommand, signal: interruption() };
    const lock = (await coordinator.run("export_pins", {}, context)) as Parameters<typeof lockText>[0];
    const file = args.out ?? lockBeside(servicesOf(coordinator).servers.file);
    await writeFile(file, lockText(lock));
    const servers = Object.keys(lock.servers);
    if (args.json) printJson({ file, servers });
    else print(`Wrote ${file}: ${servers.join(", ") || "no servers"}.`);
  },
});

const verify = defineCommand({
  description: "Ask every server, and tell what is not as the lock has it; exits with 1 then",
  args: {
    lock: {
      type: "string",
      valueHint: "file",
      description: "Default mcp-coordinator.lock.json beside the configuration",
    },
  },
  async run(args) {
    await using coordinator = await openCoordinator(args, { lock: args.lock ?? true });
    return await printOperation(coordinator, "verify_pins", {}, { ...args, signal: interruption() });
  },
});

export const pins = defineGroup("Servers, and what they offer, as they were accepted", {
  list,
  diff,
  accept,
  block,
  export: exportLock,
  verify,
});

function chosen([server, ...names]: readonly string[]): { readonly server: string; readonly names: readonly string[] } {
  if (server === undefined) throw misused("SERVER is missing", "`mcp-coordinator pins list` shows them.");
  return { server, names };
}

function questionOf({ server, state, definitions }: PinDiff): string {
  const many =
    definitions.length === 1 ? "The definition above counts" : `The ${definitions.length} definitions above count`;
  const offered = definitions.length === 0 ? "" : `${many} as accepted from now on, as ${server} has it now.`;
  const started = state === "accepted" ? "" : `${server} may be started as shown above. `;
  return `${started}${offered}`.trim();
}
