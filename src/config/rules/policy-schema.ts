import * as z from "zod";

/** A glob over the whole text, or several of which one has to fit: `*` is any run of characters, `?` is one. */
const globs = z.union([z.string(), z.array(z.string()).min(1)]);

const range = z
  .strictObject({ min: z.number().optional(), max: z.number().optional() })
  .refine(({ min, max }) => min !== undefined || max !== undefined, { error: "names neither min nor max" });

const argumentPattern = z.union([globs, z.strictObject({ not: globs }), z.strictObject({ host: globs }), range]);

const pointer = z.string().regex(/^(?:\/(?:[^~/]|~[01])*)+$/, {
  error: 'is not a JSON pointer, such as "/to/0" or, for every element, "/to/*"',
});

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const kinds = ["tool", "resource", "prompt", "completion", "list", "own"] as const;

const match = z.strictObject({
  server: globs.optional(),
  tool: globs
    .optional()
    .describe("The exact name of a tool, a method of the protocol, or an act of coordinator's own."),
  args: z.record(pointer, argumentPattern).optional().describe("By JSON pointer; * stands for every element."),
  annotations: z
    .strictObject(Object.fromEntries(hints.map((hint) => [hint, z.boolean().optional()])) as Record<Hint, Wish>)
    .optional()
    .describe("What the accepted definition says; it relaxes a rule only for servers in trust."),
  kind: z
    .union([z.enum(kinds), z.array(z.enum(kinds)).min(1)])
    .optional()
    .describe("tool when left out."),
  via: globs.optional().describe("code, call_tool, cli, exposed, skill:<name>, library or playground."),
  when: z.string().min(1).optional().describe("CEL over args, server, tool, kind, via and annotations."),
});

const rule = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  match,
  action: z.enum(["allow", "ask", "deny"]),
  reason: z.string().min(1).max(500).optional().describe("What the person who is asked, and the program, are told."),
  approver: z.enum(["client", "dashboard", "cli"]).optional().describe("Who alone may allow it."),
  shadow: z.boolean().optional().describe("Recorded, and without effect."),
});

export const policySchema = z.strictObject({
  preset: z
    .enum(["open", "careful", "locked"])
    .optional()
    .describe("What holds where no rule fits. open: allow; careful: ask unless harmless; locked: deny."),
  trust: z.array(z.string()).default([]).describe("Servers whose annotations may relax a rule."),
  denied: z
    .enum(["hide", "mark"])
    .optional()
    .describe(
      "What models see of tools that are denied whatever their arguments. hide: nothing, the default; mark: all.",
    ),
  rules: z.array(rule).default([]),
});

type Wish = z.ZodOptional<z.ZodBoolean>;
export type Hint = (typeof hints)[number];
