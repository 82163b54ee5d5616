import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { chosenPins, diffOf } from "./pin-report.ts";

const decision = {
  server: z.string(),
  /** Of what it offers; all that is not accepted when none is named. */
  names: z.array(z.string()).default([]),
  by: z.string().min(1).max(200),
};

export function acceptPins(services: Services) {
  return defineOperation({
    name: "accept_pins",
    description: "Write down that a person accepts a server, and what it offers, as they have seen it",
    input: () => z.strictObject({ ...decision, shown: z.string() }),
    async run({ server, names, by, shown }) {
      const { standing, pins } = await chosenPins(services, server, names);
      if (diffOf(standing, pins).shown !== shown) throw changedMeanwhile(server);
      const accepted = await services.pins.accept(standing, pins, by);
      if (accepted < pins.length) throw changedMeanwhile(server);
      return { server: standing.name, definitions: accepted };
    },
    present: ({ server, definitions }) => ({
      text:
        definitions === 0 ? `${server} is accepted as it is.` : `${server}: ${definitions} accepted as they are now.`,
    }),
  });
}

export function blockPins(services: Services) {
  return defineOperation({
    name: "block_pins",
    description: "Write down that a person does not want a server, or something that it offers",
    input: () => z.strictObject(decision),
    async run({ server, names, by }) {
      // Where changes are only noted, nothing has been held to anything so far.
      if (names.length > 0) await services.pins.acceptKnown(server);
      const { standing, pins } = await chosenPins(services, server, names);
      if (names.length === 0) await services.pins.servers.block(standing, by);
      else if ((await services.pins.block(standing, pins, by)) < pins.length) throw changedMeanwhile(server);
      return { server: standing.name, names };
    },
    present: ({ server, names }) => ({
      text: `${names.length === 0 ? server : `${names.join(", ")} of ${server}`} is blocked. \`mcp-coordinator pins accept\` takes that back.`,
    }),
  });
}

function changedMeanwhile(server: string): CoordinatorError {
  return new CoordinatorError("tool_changed", `"${server}" says something else by now than what was shown`, {
    hint: "Nothing that was not shown was accepted: look at it again.",
  });
}
