import * as z from "zod";

// What several operations take.

export const language = z.enum(["typescript", "python"]);

/** Any data, but that it has to be given. */
export const anyData = z.unknown().refine((value) => value !== undefined, "is missing");

/** What a guest's bytes become on the way. */
export const bytes = z.strictObject({ base64: z.string() });

/** How code is run. */
export const runSettings = {
  session: z.string().min(1).max(200).optional(),
  servers: z.array(z.string()).optional(),
  timeout: z.number().positive().optional(),
  environment: z.string().optional(),
};

/** A record of at most so many keys. They are counted first: zod looks at each of them, however many there are. */
export function fewKeys<Record extends z.ZodType>(most: number, record: Record) {
  return z.preprocess((value, context) => {
    if (typeof value !== "object" || value === null || Object.keys(value).length <= most) return value;
    context.addIssue({ code: "custom", message: `at most ${most} are taken at a time` });
    return z.NEVER;
  }, record);
}
