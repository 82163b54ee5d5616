// The process inside the Deno sandbox: takes one program, runs it, reports how it ended.
// Nothing here is trusted by the host: a guest shares this process and may change any of it.

import type { GuestError } from "../../engine.ts";
import { createFrameReader, encodeFrame } from "../../frames.ts";
import type { GuestMessage, HostMessage } from "../../messages.ts";
import { dataOrText } from "../../text-as-data.ts";
import { argumentsText, operationText } from "./arguments.ts";
import { createConsole } from "./console.ts";
import { createImport, ToolError } from "./modules.ts";
import { closeNetwork, openNetwork } from "./network.ts";
import { createNextTurn } from "./next-turn.ts";
import { toJson } from "./plain.ts";
import { createPrinting } from "./printing.ts";
import { keepRest } from "./rest.ts";
import { sendResult } from "./result.ts";
import { createTestRunner } from "./test-runner.ts";

interface DenoGlobal {
  readonly stdin: {
    read(buffer: Uint8Array): Promise<number | null>;
    readSync(buffer: Uint8Array): number | null;
  };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  readonly exit: (code?: number) => never;
  readonly internal: symbol;
  readonly [internals: symbol]: { readonly core: Core };
}

interface Core {
  /** Whether anything is under way in this process that JavaScript waits for. */
  eventLoopHasMoreWork(): boolean;
  /** Runs what is ready to run, to the end. */
  runMicrotasks(): void;
}

declare function addEventListener(
  type: "unhandledrejection" | "error",
  listener: (event: { preventDefault(): void; readonly reason?: unknown; readonly error?: unknown }) => void,
): void;

const scope = globalThis as unknown as Record<string, unknown> & { Deno: DenoGlobal };
const { stdin, stdout, exit } = scope.Deno;
const { core } = scope.Deno[scope.Deno.internal] as { core: Core };
interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  /** Where the guest called: an error that comes later knows nothing of that. */
  readonly site: Error;
}
const pending = new Map<number, Waiting>();
const nextTurn = createNextTurn(scope.Deno as never, scope);
let whenQuiet = () => {};
let lastId = 0;
/** The program that is under way, if one is; what an earlier one of the session left behind has no say any more. */
let current: object | undefined;
let outputBytes = Number.POSITIVE_INFINITY;
const printing = createPrinting(send);

let write = toHost;

function toHost(json: string): void {
  let bytes = encodeFrame(json);
  while (bytes.length > 0) bytes = bytes.subarray(stdout.writeSync(bytes));
}

function send(message: GuestMessage): void {
  write(JSON.stringify(message));
}

/** `fields` is JSON, as what `argsText` gives. */
function ask(fields: string, argsText: () => string | undefined): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    if (!current) throw new Error("The run has ended: nothing can be called any more");
    const id = ++lastId;
    // Serialised before it counts as pending: what JSON cannot say fails here and was not sent.
    const args = argsText();
    printing.tell();
    write(`{${fields},"id":${id}${args === undefined ? "" : `,"args":${args}`}}`);
    pending.set(id, { resolve, reject, site: new Error() });
  });
}

const host = {
  call(server: string, tool: string, args: unknown = {}, raw = false) {
    if (typeof args !== "object" || args === null || Array.isArray(args)) {
      throw new TypeError(`${tool} takes one object of named arguments, not ${args === null ? "null" : typeof args}`);
    }
    const form = raw ? ',"raw":true' : "";
    const fields = `"type":"call","server":${JSON.stringify(server)},"tool":${JSON.stringify(tool)}${form}`;
    return ask(fields, () => argumentsText(args));
  },
  operation: (name: string, args: unknown) =>
    ask(`"type":"operation","name":${JSON.stringify(name)}`, () => operationText(args)),
};

function answer(message: HostMessage & { type: "answer" }): void {
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  if (pending.size === 0) whenQuiet();
  if (message.rest) keepRest(message.value, message.rest);
  if (!message.error) return waiting?.resolve(message.value);
  if (waiting) waiting.reject(failureOf(message.error, waiting.site));
}

function failureOf(error: GuestError, site: Error): Error {
  const { message, server, tool = "", delivery = "unknown", code, retryAfterMs, result } = error;
  const failure =
    server === undefined
      ? Object.assign(new Error(message), { code })
      : new ToolError(message, { server, tool, delivery, code, retryAfterMs, result });
  failure.stack = `${failure.name}: ${message}\n${site.stack?.split("\n").slice(1).join("\n")}`;
  return failure;
}

async function run(message: HostMessage & { type: "run" }): Promise<void> {
  outputBytes = message.outputBytes;
  printing.begin(outputBytes);
  const program = {};
  current = program;
  pending.clear();
  try {
    const tests = message.test ? createTestRunner(errorOf, say) : undefined;
    const load = createImport(host, message, tests?.module);
    nameFile(message.argv, tests?.denoTest);
    setOfProcess("env", { ...message.variables });
    openNetwork(scope, host, message);
    // biome-ignore lint/security/noGlobalEval: running the guest's code is what this process is for
    const main = globalThis.eval(message.code) as (load: unknown) => Promise<unknown>;
    const last = await main(load);
    const value = tests ? await tests.run() : last;
    await callsToSettle();
    if (current === program) finish(value);
  } catch (thrown) {
    if (current === program) fail(thrown);
  }
}

function print(stream: "stdout" | "stderr", text: string): void {
  if (current) printing.print(stream, text);
}

function say(text: string): void {
  print("stdout", `${text}\n`);
}

/** What a file's code sees of itself, in Node's and in Deno's words. */
function nameFile(argv: readonly string[] | undefined, denoTest: unknown): void {
  if (denoTest) Object.defineProperty(scope.Deno, "test", { value: denoTest, configurable: true });
  if (!argv) return;
  Object.defineProperty(scope.Deno, "args", { value: argv.slice(1), configurable: true });
  setOfProcess("argv", ["deno", ...argv]);
}

/** One turn of the event loop: what was ready to run has run after it. */
function turn(): Promise<void> {
  turns++;
  return new Promise((resolve) => {
    nextTurn(() => {
      turns--;
      resolve();
      serve();
    });
  });
}

/** A call that the guest did not await still counts: the run ends when the last of them has. */
async function callsToSettle(): Promise<void> {
  for (;;) {
    // An answered call's continuation may call again, and a rejection that nobody handles shows.
    await turn();
    if (pending.size === 0) return;
    await new Promise<void>((resolve) => {
      whenQuiet = resolve;
    });
  }
}

function finish(value: unknown): void {
  let done: string;
  try {
    done = sendResult(value, outputBytes, write);
  } catch (thrown) {
    if (isAllocationFailure(thrown)) return fail(thrown);
    return fail(new Error(`The result cannot be written as JSON: ${errorOf(thrown).message}`));
  }
  end(done);
}

function fail(thrown: unknown): void {
  if (isAllocationFailure(thrown)) end('{"type":"limit","limit":"memory"}');
  else end(JSON.stringify({ type: "failed", error: errorOf(thrown) } satisfies GuestMessage));
}

/** A program ends once, however it ends. */
function end(message: string): void {
  if (!current) return;
  printing.tell();
  current = undefined;
  write(message);
}

/** V8 has no error class for this; the texts are its own. */
function isAllocationFailure(thrown: unknown): boolean {
  return (
    thrown instanceof RangeError && /allocation failed|invalid string length|invalid array buffer/i.test(thrown.message)
  );
}

function errorOf(thrown: unknown): GuestError {
  if (!(thrown instanceof Error))
    return { name: "Error", message: `The guest threw ${describe(thrown)}, which is not an Error` };
  const { name, message, stack } = thrown;
  const of = thrown instanceof ToolError ? thrown : undefined;
  return {
    name: String(name),
    message: String(message),
    ...(stack !== undefined && { stack: String(stack) }),
    ...(of && { server: of.server, tool: of.tool, delivery: of.delivery as "unknown" }),
    ...(of?.code !== undefined && { code: of.code }),
  };
}

function describe(thrown: unknown): string {
  try {
    return toJson(thrown) ?? String(thrown);
  } catch {
    return typeof thrown;
  }
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
}

/** What of Node's `process` is ours. */
const ofProcess = new Map<string, unknown>();
let process: object | undefined;

function setOfProcess(name: string, value: unknown): void {
  ofProcess.set(name, value);
  if (process) define(process, name, value);
}

/** Brings up Node's `process` when a guest asks for it: that takes longer than all else of a start together. */
function deferProcess(): void {
  const original = Object.getOwnPropertyDescriptor(scope, "process")?.get as () => object;
  Object.defineProperty(scope, "process", {
    configurable: true,
    enumerable: true,
    get() {
      if (process) return process;
      process = original.call(scope);
      for (const [name, value] of ofProcess) define(process, name, value);
      return process;
    },
    set: (value) => define(scope, "process", value),
  });
}

function shapeGlobals(): void {
  scope["console"] = createConsole(print, scope["Deno"] as never);
  closeNetwork(scope);
  const without = ["Worker", "alert", "confirm", "prompt", "close", "localStorage", "sessionStorage", "caches"];
  for (const name of without) delete scope[name];
  const leave = (code: unknown = 0) => {
    if (Number(code) === 0) finish(undefined);
    else fail(new Error(`The guest ended its process with code ${String(code)}`));
    return exit(0);
  };
  const stream = (name: "stdout" | "stderr") => ({
    isTTY: false,
    write: (text: unknown) => {
      print(name, typeof text === "string" ? text : new TextDecoder().decode(text as Uint8Array));
      return true;
    },
  });
  setOfProcess("exit", leave);
  setOfProcess("abort", () => leave("abort"));
  setOfProcess("stdout", stream("stdout"));
  setOfProcess("stderr", stream("stderr"));
  deferProcess();
  // The original's timer does not count as work to come, so that a wait for the host would hold it up.
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("Signal timed out.", "TimeoutError")), milliseconds);
    return controller.signal;
  };
  // Deno stays: its own versions of Node's modules need it, and without permissions it can do nothing.
  Object.defineProperty(scope.Deno, "exit", { value: leave, configurable: true });
}

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error);
});
shapeGlobals();

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const newline = 10;
const atType = '{"type":"'.length;
const textType = "t".charCodeAt(0);

function receive(bytes: Uint8Array): void {
  if (bytes[atType] === textType) return receiveText(bytes);
  const message = JSON.parse(decoder.decode(bytes)) as Exclude<HostMessage, { type: "text" }>;
  if (message.type === "answer") answer(message);
  else void run(message);
}

/** What a server sent as text: as data if it is JSON, or a literal of Python. */
function receiveText(bytes: Uint8Array): void {
  const end = bytes.indexOf(newline);
  const { id, rest } = JSON.parse(decoder.decode(bytes.subarray(0, end))) as HostMessage & { type: "text" };
  const text = decoder.decode(bytes.subarray(end + 1));
  const value = dataOrText(text);
  answer({ type: "answer", id, value, ...(rest && typeof value === "object" && { rest }) });
}

const reader = createFrameReader(0xffffffff, receive, () => exit(1));

const buffer = new Uint8Array(1 << 18);
let isServing = false;
let isReading = false;
let turns = 0;

/**
 * Takes what the host sends. When nothing else can happen in here before that, it waits in the read itself, in a
 * quarter of the time of an asynchronous read, which goes through another thread.
 */
function serve(): void {
  while (isServing) {
    core.runMicrotasks();
    // The end of the read or of the turn that is under way serves on.
    if (isReading || turns > 0) return;
    if (core.eventLoopHasMoreWork()) return void readLater();
    take(stdin.readSync(buffer));
  }
}

async function readLater(): Promise<void> {
  isReading = true;
  take(await stdin.read(buffer));
  isReading = false;
  nextTurn(serve);
}

function take(size: number | null): void {
  if (size === null) return exit(0);
  reader.push(buffer.subarray(0, size)); // read to the end before the next read
}

const anything = { allow: ["*"], deny: [] };
const rehearsal = `async (load) => {
  const { call, list_tools } = await load("mcp_tools/rehearsal", ["call"]);
  for (let turn = 0; turn < 50; turn++) await call("tool", { turn });
  console.log("done", [await list_tools()]);
  return [1];
}`;

/** Runs a small program with itself as the host: the first real one then finds warm code, and starts in half the time. */
async function rehearse(): Promise<void> {
  write = (json) => {
    const { id } = JSON.parse(json) as { id?: number };
    if (id !== undefined) nextTurn(() => reader.push(encodeFrame(`{"type":"answer","id":${id},"value":{"id":${id}}}`)));
  };
  const libraries = [{ server: "rehearsal", module: "rehearsal", tools: [] }];
  await run({
    type: "run",
    code: rehearsal,
    libraries,
    modules: [],
    operations: [],
    imports: anything,
    outputBytes: 1000,
  });
  write = toHost;
}

await rehearse();
isServing = true;
send({ type: "ready" });
nextTurn(serve);
