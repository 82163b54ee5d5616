import * as z from "zod";

const hash = z.string().regex(/^[0-9a-f]{64}$/, { error: "is not a hash: 64 hexadecimal digits" });
const named = z.record(z.string(), hash);

/** What was accepted, as a file that can be kept beside the configuration: hashes only, so that it says the same on every machine. */
export const lockSchema = z.strictObject({
  lockVersion: z.literal(1),
  servers: z.record(
    z.string(),
    z.strictObject({
      /** Of how it is started or reached. */
      server: hash,
      tool: named.default({}),
      prompt: named.default({}),
      template: named.default({}),
      instructions: named.default({}),
    }),
  ),
});

export type Lock = z.output<typeof lockSchema>;
