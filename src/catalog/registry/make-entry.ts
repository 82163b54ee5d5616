import { CoordinatorError } from "../../errors.ts";
import type {
  RegistryArgument,
  RegistryInput,
  RegistryPackage,
  RegistryRemote,
  RegistryServer,
  RegistryVariable,
} from "./server-json.ts";

/** What the user gives for a server of the registry. */
export interface Given {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** `name=value` for what the registry asks for by that name; anything else is an argument of its own. */
  readonly args: readonly string[];
  /** The kind of package to take: npm, pypi, oci or remote. */
  readonly kind?: string | undefined;
  /** What starts containers here: docker or podman. */
  readonly containers: string;
  /** Whether the environment has a variable, so that the configuration can refer to it. */
  isSet(variable: string): boolean;
}

export interface MadeEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  /** Variables that the registry calls secret. */
  readonly secrets: readonly string[];
}

type Input = RegistryVariable & Partial<Pick<RegistryRemote, "variables">>;

const kinds = ["npm", "pypi", "remote", "oci"];

// None begins with a dash: what is a name must not become an option of npx, uvx or docker.
const identifiers: Readonly<Record<string, RegExp>> = {
  npm: /^(?:@[a-z\d~][\w.~-]*\/)?[a-z\d~][\w.~-]*$/i,
  pypi: /^[a-z\d](?:[\w.-]*[a-z\d])?$/i,
  oci: /^[a-z\d][\w./:@-]*$/i,
};
const versionPattern = /^[\w][\w.+-]*$/;

/** The entry for our configuration; throws input_invalid with everything that is missing. */
export function makeEntry(server: RegistryServer, given: Given): MadeEntry {
  const kind = kindOf(server, given.kind);
  const values = createValues(given);
  const made =
    kind === "remote"
      ? remoteEntry(firstRemote(server), given, values)
      : packageEntry(packageOf(server, kind), given, values);
  if (values.missing.length === 0) return made;
  throw new CoordinatorError("input_invalid", `Cannot add ${server.name}: it needs ${values.missing.join("; ")}`, {
    hint: "Nothing was added. --env NAME refers to a variable of your environment, --arg NAME=VALUE gives an argument.",
  });
}

function kindOf(server: RegistryServer, wanted: string | undefined): string {
  const offered = [
    ...(server.packages ?? []).map(({ registryType }) => registryType),
    ...(firstRemote(server) ? ["remote"] : []),
  ];
  const usable = kinds.filter((kind) => offered.includes(kind));
  const kind = wanted ?? usable[0];
  if (kind !== undefined && usable.includes(kind)) return kind;
  const has = offered.length === 0 ? "nothing to start or reach" : `only ${[...new Set(offered)].join(", ")}`;
  throw new CoordinatorError("input_invalid", `Cannot add ${server.name}: the registry has ${has} for it`, {
    hint: `What can be added is ${kinds.join(", ")}. Others are added by their command: add NAME -- COMMAND ARGUMENTS`,
  });
}

function firstRemote({ remotes }: RegistryServer): RegistryRemote | undefined {
  return remotes?.find(({ type }) => type === "streamable-http") ?? remotes?.find(({ type }) => type === "sse");
}

function packageOf({ packages }: RegistryServer, kind: string): RegistryPackage | undefined {
  const stdio = ({ transport }: RegistryPackage) => transport === undefined || transport.type === "stdio";
  const ofKind = (packages ?? []).filter(({ registryType }) => registryType === kind);
  return ofKind.find(stdio) ?? ofKind[0];
}

/** Finds what was given for an input, and notes what is missing. */
function createValues({ args, isSet }: Given) {
  const named = new Map(args.filter((arg) => /^[^=]+=/.test(arg)).map((arg) => [arg.slice(0, arg.indexOf("=")), arg]));
  const used = new Set<string>();
  const missing: string[] = [];
  const give = (name: string): string | undefined => {
    const arg = named.get(name) ?? named.get(name.replace(/^-+/, ""));
    if (arg === undefined) return undefined;
    used.add(arg);
    return arg.slice(arg.indexOf("=") + 1);
  };
  /** The value with its `{variables}` filled in; undefined when the input is not wanted or missing. */
  const resolve = (one: Input, name: string, own?: string): string | undefined => {
    const text = own ?? one.value ?? give(name) ?? one.default;
    if (text === undefined) {
      if (one.isRequired) missing.push(wantedText(name, one));
      return undefined;
    }
    return text.replace(/\{(\w+)\}/g, (whole: string, variable: string, offset: number) => {
      const known = one.variables?.[variable];
      // ${NAME} is a reference in our configuration.
      if (!known || text[offset - 1] === "$") return whole;
      const value = give(variable) ?? known.value ?? known.default;
      if (value === undefined && isSet(variable.toUpperCase())) return `\${${variable.toUpperCase()}}`;
      if (value === undefined) missing.push(wantedText(variable, { ...known, isRequired: true }));
      return value ?? whole;
    });
  };
  return { give, resolve, missing, rest: () => args.filter((arg) => !used.has(arg)) };
}

type Values = ReturnType<typeof createValues>;

function wantedText(name: string, { description, choices, isSecret }: Input): string {
  const about = [
    description?.slice(0, 120),
    choices?.length ? `one of ${choices.join(", ")}` : "",
    isSecret ? "secret" : "",
  ];
  const shown = about.filter(Boolean).join("; ");
  return shown === "" ? name : `${name} (${shown})`;
}

function remoteEntry(remote: RegistryRemote | undefined, given: Given, values: Values): MadeEntry {
  const { type = "http", url = "", headers = [], variables } = remote ?? {};
  const filled = values.resolve({ value: url, ...(variables && { variables }) }, "url") ?? url;
  const own = (headers ?? []).flatMap((header) => {
    const value = given.headers[header.name] ?? values.resolve(header, header.name);
    return value === undefined ? [] : [[header.name, value] as const];
  });
  const all = { ...Object.fromEntries(own), ...given.headers };
  const secrets = (headers ?? []).filter(({ isSecret }) => isSecret).map(({ name }) => name);
  const entry = {
    type: type === "sse" ? "sse" : "http",
    url: filled,
    ...(Object.keys(all).length > 0 && { headers: all }),
  };
  return { entry, secrets };
}

function packageEntry(found: RegistryPackage | undefined, given: Given, values: Values): MadeEntry {
  const { registryType = "", identifier = "", version = "" } = found ?? {};
  const pattern = identifiers[registryType];
  if (!pattern?.test(identifier) || (version !== "" && !versionPattern.test(version))) {
    throw new CoordinatorError(
      "input_invalid",
      "Cannot add it: the registry's name or version of its package is not valid",
    );
  }
  const env = environmentOf(found?.environmentVariables ?? [], given, values);
  const runtime = argumentsOf(found?.runtimeArguments ?? [], values);
  const own = argumentsOf(found?.packageArguments ?? [], values);
  const rest = [...own, ...values.rest()];
  const parts = { identifier, version, runtime, variables: Object.keys(env), containers: given.containers };
  const [command, ...args] = commandOf(registryType, parts);
  const secrets = (found?.environmentVariables ?? []).filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return { entry: { command, args: [...args, ...rest], ...(Object.keys(env).length > 0 && { env }) }, secrets };
}

interface Parts {
  readonly identifier: string;
  readonly version: string;
  readonly runtime: readonly string[];
  readonly variables: readonly string[];
  readonly containers: string;
}

function commandOf(kind: string, { identifier, version, runtime, variables, containers }: Parts): readonly string[] {
  const exact = version === "" ? identifier : `${identifier}@${version}`;
  if (kind === "npm") return ["npx", "-y", ...runtime.filter((word) => word !== "-y" && word !== "--yes"), exact];
  if (kind === "pypi") return ["uvx", ...runtime, exact];
  const isExact = /[:@]/.test(identifier.slice(identifier.lastIndexOf("/") + 1));
  const image = version === "" || isExact ? identifier : `${identifier}:${version}`;
  const passed = variables.flatMap((name) => ["-e", name]);
  const options = runtime.filter((word) => word !== "run" && word !== "-i" && word !== "--rm");
  return [containers, "run", "-i", "--rm", ...passed, ...options, image];
}

function environmentOf(inputs: readonly RegistryInput[], given: Given, values: Values): Record<string, string> {
  const asked = inputs.flatMap((one) => {
    const wanted = given.env[one.name];
    // A secret belongs into the environment, the configuration only refers to it.
    const isAsked = one.isRequired && one.value === undefined && given.isSet(one.name);
    const reference = isAsked ? `\${${one.name}}` : undefined;
    if (wanted === undefined && !one.isRequired && one.value === undefined) return [];
    const value = values.resolve(one, one.name, wanted ?? reference);
    return value === undefined ? [] : [[one.name, value] as const];
  });
  return { ...Object.fromEntries(asked), ...given.env };
}

/** Positional ones that were not given by name take the arguments that were given without one, in order. */
function argumentsOf(inputs: readonly RegistryArgument[], values: Values): string[] {
  return inputs.flatMap((one) => {
    if (one.type === "named") {
      const name = one.name ?? "";
      const value = values.resolve(one, name);
      if (value === undefined) return [];
      return name.endsWith("=") ? [`${name}${value}`] : value === "" ? [name] : [name, value];
    }
    const name = one.valueHint ?? one.name ?? "argument";
    // What is left over is appended, and so fills a positional that nobody named.
    if (one.value === undefined && one.default === undefined && values.rest().length > 0 && !has(values, name))
      return [];
    return values.resolve(one, name) ?? [];
  });
}

function has(values: Values, name: string): boolean {
  return values.rest().some((arg) => arg.startsWith(`${name}=`));
}
