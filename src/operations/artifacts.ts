import * as z from "zod";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export function readArtifact({ artifacts }: Services) {
  return defineOperation({
    name: "read_artifact",
    description: "The text of an artifact, or a page of it",
    guest: "artifacts.read",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({
      uri: z.string(),
      offset: z.int().min(0).optional().describe("characters to skip"),
      limit: z.int().min(1).optional().describe("characters to read"),
    }),
    output: z.string(),
    async run({ uri, offset = 0, limit }) {
      const text = artifacts.read(uri);
      return text.slice(offset, limit === undefined ? undefined : offset + limit);
    },
    show: (text) => text,
  });
}
