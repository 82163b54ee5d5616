import type { AnyOperation } from "../../src/operations/operation.ts";
import { inputSchema } from "../../src/operations/operation.ts";
import type { Choice } from "./choose-shots.ts";
import { plausible } from "./client-shots.ts";
import { type Field, fieldsOf } from "./fields.ts";
import { openGateway, type Transport } from "./gateway-under-pressure.ts";
import { expand } from "./hostile-inputs.ts";
import { hostileServer } from "./hostile-server.ts";
import type { Battery } from "./press.ts";

// What a guest says: every field of every function of the module `coordinator`, what it stores and has read again, and
// what it prints, throws and ends with. The inputs are made inside the sandbox.

export interface GuestField extends Pick<Field, "path" | "isName" | "longest"> {
  readonly operation: string;
  /** Statements that use `json()`, the JSON text of the input, and `given(template)`, a value with the input in it. */
  readonly code: string;
  /** How many such calls the guest makes at once; a few when absent. */
  readonly times?: (size: number) => number;
  /** The run ends with it, so that it needs one of its own. */
  readonly endsRun?: true;
}

export type GuestShot = Choice<GuestField>;

const aFew = (size: number) => (size <= 5000 ? 16 : size <= 500_000 ? 4 : 1);
/** What only reads is asked for as often at once as a run may. */
const mostAtOnce = 128;
const asOftenAsMay = (size: number) => (size <= 5000 ? mostAtOnce : aFew(size));

const hole = '"@@input@@"';

export function guestFields(operations: readonly AnyOperation[]): GuestField[] {
  const offered = operations.filter(({ guest }) => guest !== undefined);
  return [...offered.flatMap(operationFields), ...libraryFields(), ...storedFields(offered), ...outputFields()];
}

function operationFields(operation: AnyOperation): GuestField[] {
  const name = operation.guest as string;
  const positional = JSON.stringify(operation.positional ?? []);
  return fieldsOf(inputSchema(operation), plausible).map(({ path, isName, longest, fill }) => {
    const template = JSON.stringify(fill(hole));
    return {
      operation: name,
      path,
      isName,
      longest,
      code: `await call(${JSON.stringify(name)}, ${positional}, given(${template}))`,
      ...(operation.readOnly && { times: asOftenAsMay }),
    };
  });
}

function libraryFields(): GuestField[] {
  const field = (path: string, code: string) => ({
    operation: "mcp_tools/quiet",
    path,
    isName: false,
    longest: undefined,
    code,
  });
  return [
    field("name of a tool", `await quiet.call(given('${hole}') as any, {})`),
    field("arguments of a tool", `await quiet.call("echo", given('{"text":${hole}}') as any)`),
  ];
}

/** Whatever reads by path, address or key reads something hostile, as often at once as it may. What removes comes last. */
function storedFields(offered: readonly AnyOperation[]): GuestField[] {
  const places = [
    { by: "path", store: 'await workspace.write("stored.txt", text())' },
    { by: "uri", store: 'plausible.uri = (await artifacts.save("stored.txt", text())).uri' },
    { by: "key", store: `await memory.set("stored", given('${hole}'))` },
    {
      by: "key",
      what: "of very many properties",
      store: `await memory.set("stored", Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => ["k" + i, 0])))`,
    },
  ];
  return places.map(({ by, what = "", store }) => {
    const readers = offered
      .filter((operation) => requiredOf(operation).join() === by)
      .sort((a, b) => Number(!a.readOnly) - Number(!b.readOnly))
      .map(({ guest, positional = [], readOnly }) => {
        const call = `call(${JSON.stringify(guest)}, ${JSON.stringify(positional)}, { ${by}: plausible.${by} })`;
        return readOnly ? `await together(json().length, () => ${call})` : `await ${call}`;
      });
    return {
      operation: "what is stored",
      path: `${by} ${what}`.trim(),
      isName: false,
      longest: undefined,
      code: [store, ...readers].join(";\n"),
      times: () => 1,
    };
  });
}

const requiredOf = (operation: AnyOperation) => (inputSchema(operation)["required"] ?? []) as string[];

function outputFields(): GuestField[] {
  const field = (path: string, code: string) =>
    ({ operation: "output", path, isName: false, longest: undefined, code, endsRun: true }) as const;
  return [
    field("stdout", "console.log(text())"),
    field("stderr", "console.error(text())"),
    field("error message", "throw new Error(text())"),
    field("error name", 'throw Object.assign(new Error("x"), { name: text() })'),
    field("error stack", 'throw Object.assign(new Error("x"), { stack: text() })'),
    field("thrown value", `throw given('${hole}')`),
    field("result", `return given('${hole}')`),
    field("result of lists", `return [given('${hole}'), { [text()]: text() }]`),
  ];
}

const runSeconds = 20;

/** Code of a guest that fires these; each is tried, none ends the others. */
function codeOf(shots: readonly GuestShot[]): string {
  const [first] = shots;
  const made = shots.map(({ field, recipe, size }) => {
    const input = `const json = once(() => expand(${JSON.stringify(recipe)}, ${size})); ${bindings}`;
    if (field.endsRun) return `{ ${input}\n${field.code.replace(/^return /, "ended = ")} }`;
    return `{ ${input}\nawait Promise.all(Array.from({ length: ${(field.times ?? aFew)(size)} }, async () => { try { ${field.code} } catch {} })) }`;
  });
  return [prelude, ...made, first?.field.endsRun ? "ended" : '"done"'].join("\n");
}

const bindings = [
  "const given = (template: string): any => JSON.parse(template.split(hole).join(json()));",
  "const text = (): string => { const value = JSON.parse(json()); return typeof value === 'string' ? value : json(); };",
].join(" ");

const prelude = `import * as coordinator from "coordinator";
import * as quiet from "mcp_tools/quiet";
const { workspace, artifacts, memory } = coordinator as any;
const hole = ${JSON.stringify(hole)};
const plausible: any = ${JSON.stringify(plausible)};
let ended: any;
const once = (make: () => string) => { let made: string | undefined; return () => (made ??= make()); };
const expand: any = ${expand.toString()};
const together = (size: number, ask: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: size > 1_000_000 ? 4 : ${mostAtOnce} }, ask));
const call = async (name: string, positional: string[], args: any) => {
  try {
    let found: any = coordinator;
    for (const part of name.split(".")) found = found[part];
    const isPlain = args !== null && typeof args === "object" && !Array.isArray(args);
    if (!isPlain) return await found(args);
    const rest = { ...args };
    for (const each of positional) delete rest[each];
    return await found(...positional.map((each) => args[each]), ...(Object.keys(rest).length > 0 ? [rest] : []));
  } catch {}
};`;

export function guestBattery(transport: Transport): Battery<GuestShot> {
  const run = async (wire: { ask(method: string, params: string): Promise<string> }, code: string): Promise<void> => {
    const params = { name: "execute_code", arguments: { code, timeout: runSeconds } };
    await wire.ask("tools/call", JSON.stringify(params));
  };
  return {
    name: `guest, its client over ${transport}`,
    answerMs: (runSeconds + 8) * 1000,
    open: () => openGateway({ transport, mcpServers: { quiet: hostileServer() } }),
    async warmUp({ wire }) {
      await run(wire, "undefined_name");
      const text = await wire.ask(
        "tools/call",
        JSON.stringify({ name: "execute_code", arguments: { code: codeOf([]) } }),
      );
      if (!text.includes('"status":"ok"')) throw new Error(`the guest does not work: ${text.slice(0, 2000)}`);
    },
    async fire({ wire }, shots) {
      const packed = shots.filter(({ field }) => !field.endsRun);
      const apart = shots.filter(({ field }) => field.endsRun).map((shot) => [shot]);
      await Promise.all([packed, ...apart].filter(({ length }) => length > 0).map((list) => run(wire, codeOf(list))));
    },
  };
}
