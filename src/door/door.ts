import { hash } from "node:crypto";
import { type Actor, nobodysRun, type Run } from "../actor.ts";
import { type ListedItems, type ListName, listMethods } from "../upstream/list-pages.ts";
import type { Requests, Upstreams } from "../upstream/upstreams.ts";
import type { Act, UpstreamAct } from "./act.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Gate } from "./gate.ts";
import { type Approve, createJudge, type Judge, type Judgement } from "./judge.ts";
import type { ActEnd, Recorder } from "./recorder.ts";
import { asRun, type RunLog } from "./run-log.ts";
import { asUpstreamError } from "./upstream-failure.ts";

/** What came of an act. */
export interface ActResult<Answer> {
  readonly answer: Answer;
  /** How much, for the journal. */
  readonly bytes: number;
  /** That of an answer that tells of a failure and is an answer all the same. */
  readonly error?: string | undefined;
}

/**
 * The only way to an upstream. An act is judged by every gate in turn, its intent is written down, it is done, and what became
 * of it is written down; one that is refused leaves its reason. What is not a part of a run is recorded as a run of its
 * own. Throws UpstreamError, which says whether anything was sent.
 */
export interface Door {
  /** `read` makes of the server's own result what the caller wants of it. */
  pass<Answer>(
    act: UpstreamAct,
    actor: Actor,
    read: (result: unknown, run: Run) => ActResult<Answer> | Promise<ActResult<Answer>>,
    options?: SendOptions<Answer>,
  ): Promise<Answer>;
  list(server: string, name: ListName, actor: Actor): Promise<ListedItems>;
  /** For the catalog. */
  listTools(server: string, actor: Actor): ReturnType<Requests["list"]>;
  /** One of our own acts that has an effect outside. What it throws is thrown as it is. */
  own<Answer>(name: string, args: unknown, actor: Actor, work: () => Promise<Answer>): Promise<Answer>;
}

interface SendOptions<Answer = never> {
  /** What somebody gets who asks for it later, where the act was a run of its own; the answer as it is when absent. */
  readonly later?: (answer: Answer) => unknown;
  readonly timeoutMs?: number;
  /** For the progress that a server tells of, in the protocol's own words. */
  readonly onProgress?: (progress: object) => void;
}

export interface DoorOptions {
  readonly upstreams: Pick<Upstreams, "to">;
  /** In the order in which they judge. */
  readonly gates: readonly Gate[];
  readonly recorders: readonly Recorder[];
  readonly runs: RunLog;
  /** Without it, what a person would have to decide is refused. */
  readonly approve?: Approve | undefined;
  /** What is shown of a list that is handed on as it is. */
  readonly reviewList?: ((server: string, name: ListName, listed: ListedItems) => Promise<ListedItems>) | undefined;
}

/** For callers that want the server's own result. */
export function rawResult(result: unknown): ActResult<unknown> {
  return { answer: result, bytes: JSON.stringify(result)?.length ?? 0 };
}

/** `argsText` is the text that was judged. */
type Send<Answer> = (actor: Actor, run: Run, argsText: string) => Promise<ActResult<Answer>>;

export function createDoor({ upstreams, gates, recorders, runs, approve, reviewList }: DoorOptions): Door {
  const judge = createJudge(gates, approve);
  const passIn = createPassage(judge, recorders);

  const throughOwnRun = async <Answer>(
    act: Act,
    actor: Actor,
    send: Send<Answer>,
    later: SendOptions<Answer>["later"],
  ): Promise<ActResult<Answer>> => {
    // A list is not a call: one outside a run is in the journal only when something stops it.
    if (act.kind === "list" && (await judge.isFree(act, actor))) return send(actor, nobodysRun, "{}");
    const kept = ({ answer }: ActResult<Answer>) => (later ? later(answer) : answer);
    return asRun(runs, actor, (within) => passIn(within.run, act, within, send), { errorIn: errorOf, kept });
  };
  const through = <Answer>(
    act: Act,
    actor: Actor,
    send: Send<Answer>,
    later?: SendOptions<Answer>["later"],
  ): Promise<Answer> =>
    (actor.run ? passIn(actor.run, act, actor, send) : throughOwnRun(act, actor, send, later)).then(answerOf);

  return {
    pass: (act, actor, read, options) => {
      const send = (within: Actor, run: Run, argsText: string) => {
        const { server, name, request } = act;
        const how = sendOptions(within, run, options, argsText);
        const upstream = upstreams.to(server);
        const sending = request
          ? upstream.request(act.kind === "tool" ? { ...request, tool: name } : request, how)
          : upstream.call(name, act.args as Record<string, unknown>, how);
        return sending.then((result) => read(result, run));
      };
      return through(act, actor, send, options?.later);
    },
    list: (server, name, actor) =>
      through(listAct(server, listMethods[name]), actor, async (within, run) => {
        const listed = await upstreams.to(server).listAll(name, sendOptions(within, run));
        const answer = (await reviewList?.(server, name, listed)) ?? listed;
        return { answer, bytes: JSON.stringify(answer).length };
      }),
    listTools: (server, actor) =>
      through(listAct(server, listMethods.tools), actor, async ({ signal }) => {
        return { answer: await upstreams.to(server).list({ signal }), bytes: 0 };
      }),
    own: (name, args, actor, work) =>
      through({ kind: "own", server: "coordinator", name, args }, actor, async () => {
        return { answer: await work(), bytes: 0 };
      }),
  };
}

/** An act that may be: its arguments as they were judged, and whom to tell what became of it. */
interface Admitted {
  readonly argsText: string;
  settle(end: ActEnd): void;
}

/**
 * One act within a run: judged, unless it has been refused already, its intent written down, done, its outcome written down.
 * Nothing is awaited before it is sent, unless a gate takes its time: what every call goes through must cost next to nothing.
 */
function createPassage(judge: Judge, recorders: readonly Recorder[]) {
  /** What fails up to here was not sent. */
  const admit = (run: Run, act: Act, actor: Actor): Admitted | Promise<Admitted> => {
    try {
      const argsText = canonicalJson(act.args);
      const judging = judge.judge(act, actor, run, argsText);
      if (!(judging instanceof Promise)) return record(run, act, argsText, judging);
      return judging.then((judged) => record(run, act, argsText, judged)).catch((thrown) => refuse(act, thrown));
    } catch (thrown) {
      return refuse(act, thrown);
    }
  };
  const record = (run: Run, act: Act, argsText: string, judged: Judgement | undefined): Admitted => {
    const { kind, server, name, args } = act;
    const { refusal, decided, approvals } = judged ?? nothingSaid;
    const argsHash = hash("sha256", argsText);
    const recorded = { kind, server, name, args, run, argsText, argsHash, decided, approvals };
    const ends = recorders.map((recorder) => recorder.intend(recorded));
    const settle = (end: ActEnd): void => {
      for (const told of ends) told(end);
    };
    if (!refusal) return { argsText, settle };
    settle({ outcome: "refused", error: refusal.message, milliseconds: 0 });
    throw refusal;
  };
  const refuse = (act: Act, thrown: unknown): never => {
    throw act.kind === "own" ? thrown : asUpstreamError(thrown, act, "not_sent");
  };

  return <Answer>(run: Run, act: Act, actor: Actor, send: Send<Answer>) => {
    const deliver = (admitted: Admitted): Promise<ActResult<Answer>> => {
      const started = performance.now();
      const { argsText, settle } = admitted;
      return attempt(() => send(actor, run, argsText)).then(
        (result) => {
          const { bytes: resultBytes, error } = result;
          const outcome = error === undefined ? "ok" : "failed";
          settle({ outcome, error, resultBytes, milliseconds: performance.now() - started });
          return result;
        },
        (thrown: unknown) => {
          const failure = asUpstreamError(thrown, act);
          const isCancelled = failure.delivery === "unknown" && actor.signal?.aborted;
          const outcome = isCancelled ? "cancelled" : act.kind === "own" ? "failed" : failure.delivery;
          settle({ outcome, error: failure.message, milliseconds: performance.now() - started });
          throw act.kind === "own" ? thrown : failure;
        },
      );
    };
    return attempt(() => {
      const admitted = admit(run, act, actor);
      return admitted instanceof Promise ? admitted.then(deliver) : deliver(admitted);
    });
  };
}

/** What it throws, it rejects with. */
function attempt<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return work();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function listAct(server: string, name: string): Act {
  return { kind: "list", server, name, args: {} };
}

/** Turns at a busy server go by the client, or by the run of nobody's. */
function sendOptions({ caller, signal }: Actor, { id }: Run, options?: SendOptions, argsText?: string) {
  const { timeoutMs, onProgress } = options ?? noOptions;
  return { caller, turn: caller?.id ?? id, signal, timeoutMs, onProgress, argsText };
}

const noOptions: SendOptions = {};
const nothingSaid: Judgement = {};

function answerOf<Answer>({ answer }: ActResult<Answer>): Answer {
  return answer;
}

function errorOf({ error }: ActResult<unknown>): string | undefined {
  return error;
}
