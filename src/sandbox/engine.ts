import type { Aside } from "../actor.ts";
import type { PausableTimers } from "../system/pausable-timers.ts";
import type { JsonPieces } from "./json-pieces.ts";

/** A language that guests are written in. */
export type Language = "typescript" | "python";

/** What a run may use up. Host-side: no guest can raise them. */
export interface Limits {
  readonly memoryMb: number;
  readonly cpuSeconds: number;
  /** Processes and threads together, the guest's first one included. */
  readonly processes: number;
  readonly openFiles: number;
  /** The size of the private folder that a guest may write to. */
  readonly scratchMb: number;
  /** What is kept of what a run prints, and of its result; the rest is dropped. */
  readonly outputBytes: number;
  readonly toolCalls: number;
  readonly parallelToolCalls: number;
}

/** Finds a program of the system, as `which` does. */
export type FindProgram = (name: string) => string | undefined;

/** What every engine is made with. */
export interface EngineOptions {
  readonly limits: Limits;
  readonly findProgram: FindProgram;
}

/** Which limit ended a run. */
export type LimitName = "memory" | "cpu" | "processes" | "open_files" | "scratch" | "tool_calls" | "frame";

/** A compiled guest: code that the engine understands, and the libraries that it imports, as data. */
export interface Program {
  /** TypeScript: the text of one async function of the import function. Python: the source. */
  readonly code: string;
  readonly libraries: readonly GuestLibrary[];
  /** Modules whose code comes with the program: what it imports, and what they import. */
  readonly modules: readonly GuestModule[];
  /** What the guest's own imports mean; all other specifiers are libraries, our own modules and the language's. */
  readonly links?: readonly Link[] | undefined;
  /** Our operations that the guest may import from `coordinator`. */
  readonly operations: readonly GuestOperation[];
  /** Hosts that the operation "fetch" reaches, as the user wrote them; none when absent. */
  readonly hosts?: readonly string[] | undefined;
  /** What the guest finds in its environment (`os.environ`, `process.env`); nothing when absent. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Which modules the guest may import, by pattern. A policy, not the sandbox. */
  readonly imports: ImportPolicy;
  /** The file that runs and its arguments; absent for code that is not a file. */
  readonly argv?: readonly string[] | undefined;
  /** Whether to run the tests that the code defines: its value is then a report of them. */
  readonly test?: boolean | undefined;
}

export interface ImportPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** An operation's name, a dot makes a group, and the arguments that may be given by position. */
export type GuestOperation = readonly [name: string, ...positional: string[]];

/** A skill, a file of the workspace, a package: compiled like a guest, or as it is. */
export interface GuestModule {
  readonly id: string;
  /** TypeScript: the text of one async function of the import and the export function. Python and CommonJS: the source. */
  readonly code: string;
  readonly format?: "source" | "commonjs" | undefined;
  /** What its own imports mean. In Python names are the same everywhere: there those of all modules are taken together. */
  readonly links: readonly Link[];
}

/** An import as it is written, and the id of the module that it means. */
export type Link = readonly [specifier: string, id: string];

/** One `mcp_tools/<module>`: identifiers and the exact tool names behind them. */
export interface GuestLibrary {
  readonly server: string;
  readonly module: string;
  readonly tools: readonly GuestTool[];
}

/** `parameters` holds keyword names that differ from the exact ones, for languages where a name must be an identifier. */
export type GuestTool = readonly [
  identifier: string,
  name: string,
  parameters?: Readonly<Record<string, string>> | undefined,
];

/** The host's side of a run: everything a guest can reach. Values travel as JSON text, parsed once, in the guest. */
export interface GuestPorts {
  /** With `aside` it waits for a person without being one of the calls that may be under way at once. */
  call(request: CallRequest, signal: AbortSignal, aside: Aside): Promise<string | CallAnswer>;
  operation(name: string, args: unknown, signal: AbortSignal, aside: Aside): Promise<string | JsonPieces>;
  /** Whether an operation's answer may be large: of a run's, one is under way at a time, until the guest has read it. */
  isHeavy?(operation: string): boolean;
  /** While a promise is pending, no more is read from the guest. */
  print(stream: "stdout" | "stderr", text: string, skipped?: Skipped): Promise<void> | undefined;
  /** More of the JSON of a result that is too long for one piece; as above. */
  addResult?(text: string): Promise<void> | undefined;
}

/** What a guest has printed and, past what is kept, only counted: it is the guest's word. */
export interface Skipped {
  readonly characters: number;
  readonly bytes: number;
}

export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Whether the guest wants the server's whole result instead of its value. */
  readonly raw?: boolean | undefined;
}

/** A value as JSON, or a text that may be data (JSON, a literal of Python), which the guest finds out; and what else the server sent with it. */
export type CallAnswer = ({ readonly value: string } | { readonly text: string }) & {
  /** What guests find with `rest_of(value)`: an object of content items and `_meta`, as JSON. */
  readonly rest?: string | undefined;
};

/** What a guest sees of an error that the host, a tool or the guest itself raised. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** The guest's line, where the engine runs the guest's own text. */
  readonly line?: number;
  readonly code?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly delivery?: "not_sent" | "failed" | "unknown";
  /** When the call is worth making again, where that is known. */
  readonly retryAfterMs?: number;
  /** To the guest only: the whole result of a tool that answered with an error. */
  readonly result?: unknown;
}

/** Of a value that came in parts: how many items it has, and how many of them those parts hold. */
export interface ResultParts {
  readonly unit: "characters" | "items" | "keys";
  readonly total: number;
  readonly kept: number;
}

export type Outcome =
  /** With parts, the value is only the start of what they hold. */
  | { readonly end: "ok"; readonly value?: unknown; readonly parts?: ResultParts }
  | { readonly end: "error"; readonly error: GuestError }
  | { readonly end: "limit"; readonly limit: LimitName }
  | { readonly end: "timeout" }
  | { readonly end: "cancelled" }
  | { readonly end: "crashed"; readonly reason: string };

/** A process of its own. It starts with nothing of an earlier run; what its programs define stays for the next one in it. */
export interface Sandbox {
  /** Whether its process is gone: by `kill`, a limit, a timeout, a cancellation or a crash. */
  readonly ended: boolean;
  /** Runs one program to its end. Never throws: every end is an Outcome. One at a time; one after the other in a session. */
  run(
    program: Program,
    ports: GuestPorts,
    options: {
      readonly timeoutMs: number;
      readonly signal?: AbortSignal | undefined;
      /** Times that do not count. */
      readonly timers?: PausableTimers | undefined;
    },
  ): Promise<Outcome>;
  /** Ends the process and all below it, at once. */
  kill(): void;
}

/** How well a run is fenced in here: by an operating-system sandbox, or by the engine's own rules alone. */
export type Isolation = { readonly layer: "os" | "engine"; readonly detail: string };

/** The Python packages of an environment, and the Python that they were installed for. */
export interface PythonPackages {
  readonly environment: string;
  /** The folder that they are in; absent when none was installed. */
  readonly folder: string | undefined;
  /** The environment of the user's own that they are based on. */
  readonly base: string | undefined;
  /** Whether folders elsewhere count that they name. */
  readonly followLinks: boolean;
  /** The version of their Python, `3.11`. */
  readonly version: string;
  /** Their Python. Throws environment_unusable when it is gone. */
  interpreter(): Promise<string>;
}

/** A language runtime behind an isolation layer. Fails closed: what it cannot isolate it does not start. */
export interface Engine {
  readonly name: string;
  readonly language: Language;
  /** Whether `auto` takes it where it works; others are chosen by name. */
  readonly isAutomatic: boolean;
  /** Whether its guests can import packages that the user installs. */
  readonly takesPackages: boolean;
  /** How many of its sandboxes should wait for a run: fewer of those that take much memory. */
  readonly waiting: number;
  /** The same engine with packages; absent where programs bring theirs along, or there are none. Throws environment_unusable. */
  equip?(packages: PythonPackages): Promise<Engine>;
  /** What isolation this machine gives; throws CoordinatorError("engine_unavailable") with the fix when it is not enough. */
  isolation(): Promise<Isolation>;
  /** Modules that guests can import beside the language's own and ours, by their first name; none when absent. */
  modules?(): Promise<ReadonlySet<string>>;
  /** The version of its language, `3.11`, where code that one takes another may not. */
  version?(): Promise<string>;
  /** Starts a sandbox and waits until it can take a program. The signal ends it, before and after that. */
  start(signal?: AbortSignal): Promise<Sandbox>;
  /** Ends what the engine keeps beside its sandboxes; the next start brings it back. */
  rest?(): Promise<void>;
}
