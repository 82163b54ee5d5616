import * as z from "zod";
import { fieldsOf } from "../../system/fields.ts";

// The registry's format, as far as it says how a server is started or reached; what else is in it is let pass.

const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  choices: z.array(z.string()).nullish(),
};

const variable = z.looseObject(input);
const variables = z.record(z.string(), variable).optional();
const keyValue = z.looseObject({ name: z.string(), ...input, variables });
const argument = z.looseObject({
  type: z.enum(["positional", "named"]),
  name: z.string().optional(),
  valueHint: z.string().optional(),
  ...input,
  variables,
});

const packageSchema = z.looseObject({
  registryType: z.string(),
  identifier: z.string(),
  version: z.string().optional(),
  runtimeArguments: z.array(argument).nullish(),
  packageArguments: z.array(argument).nullish(),
  environmentVariables: z.array(keyValue).nullish(),
  transport: z.looseObject({ type: z.string() }).optional(),
});

const remote = z.looseObject({
  type: z.string(),
  url: z.string(),
  headers: z.array(keyValue).nullish(),
  variables,
});

const server = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().default(""),
  version: z.string().default(""),
  packages: z.array(packageSchema).nullish(),
  remotes: z.array(remote).nullish(),
});

export type RegistryVariable = z.output<typeof variable>;
export type RegistryInput = z.output<typeof keyValue>;
export type RegistryArgument = z.output<typeof argument>;
export type RegistryPackage = z.output<typeof packageSchema>;
export type RegistryRemote = z.output<typeof remote>;
type ServerJson = z.output<typeof server>;

/** A server of the registry, and what the registry says about the entry. */
export interface RegistryServer extends ServerJson {
  /** active, deprecated or deleted. */
  readonly status: string;
  readonly statusMessage?: string;
}

const officialKey = "io.modelcontextprotocol.registry/official";
const official = z.looseObject({ status: z.string().optional(), statusMessage: z.string().optional() });

/** The servers of a page of the registry; what is not a server in its format is left out. */
export function readRegistryPage(page: unknown): {
  readonly servers: readonly RegistryServer[];
  readonly next?: string;
} {
  const { servers, metadata } = fieldsOf(page);
  const { nextCursor: next } = fieldsOf(metadata);
  return {
    servers: (Array.isArray(servers) ? servers : []).flatMap((one) => readRegistryServer(one) ?? []),
    ...(typeof next === "string" && next !== "" && { next }),
  };
}

/** One entry `{ server, _meta }`, or an older one without the wrapper. */
export function readRegistryServer(entry: unknown): RegistryServer | undefined {
  const wrapped = fieldsOf(entry);
  const parsed = server.safeParse(wrapped["server"] ?? entry);
  if (!parsed.success) return undefined;
  const { data: about } = official.safeParse(fieldsOf(wrapped["_meta"])[officialKey] ?? {});
  const { status: written } = fieldsOf(parsed.data);
  return {
    ...parsed.data,
    status: about?.status ?? (typeof written === "string" ? written : "active"),
    ...(about?.statusMessage !== undefined && { statusMessage: about.statusMessage }),
  };
}
