import {
  Client,
  type JSONRPCMessage,
  ProtocolError,
  type Result,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import type { Caller, Notification } from "../actor.ts";
import type { ServerConfig } from "../config/server.ts";
import { waitFor } from "../system/wait-for.ts";
import { Connection } from "./connection.ts";
import { type Exchange, httpAnswer, jsonRpcError, startFailure } from "./failure.ts";
import { followChanges } from "./follow-changes.ts";
import type { Authorization } from "./oauth/authorization.ts";
import { Questions } from "./questions.ts";
import { createRedact } from "./redact.ts";
import type { ServerTransport } from "./transport/server-transport.ts";
import { SseTransport } from "./transport/sse-transport.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";
import { StreamableTransport } from "./transport/streamable-transport.ts";

/**
 * How a server wants to be spoken to: with the `initialize` handshake (2024-11-05 to 2025-11-25), without it
 * (2026-07-28), or with the handshake over HTTP with SSE.
 */
export type Dialect = "handshake" | "modern" | "sse";

const modernVersion = "2026-07-28";
// What a server that has no `initialize` may say to it: no such method, wrong version, or its envelope is missing.
const strangeHandshake = new Set([-32600, -32601, -32602, -32020, -32021, -32022]);
// What a server that has only SSE may say to a POST.
const missesEndpoint = new Set([400, 404, 405, 406, 415]);

/** What one of our clients may be able to do; whether the one behind a call can is seen when the server asks. */
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

/** More than clients read of them. */
const mostInstructions = 20_000;

/** What can be seen of a server's process, from its start on and after its end. */
export interface Vitals {
  readonly pid: number | undefined;
  readonly skippedLines: number;
  stderrTail(): string;
}

export interface ConnectOptions {
  readonly version: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What worked the last time; saves trying. */
  readonly dialect: Dialect | undefined;
  /** Absent where nobody signs in. */
  readonly authorization?: Authorization | undefined;
  onVitals(vitals: Vitals): void;
  /** The server tells something; `caller` is whom it tells that, where it was about a call. */
  onNotification(notification: Notification, caller: Caller | undefined): void;
  /** The server asked while calls of several clients were under way. */
  onAmbiguousQuestion(): void;
  /** An answer came that nobody waits for. */
  onStrayAnswer(): void;
  /** Something of a failed attempt is still being ended. */
  onClosing(closed: Promise<void>): void;
  /** The connection is of no more use: the server ended it, or close() was called. */
  onEnd(connection: Connection): void;
}

export interface Connected {
  readonly connection: Connection;
  readonly dialect: Dialect;
}

interface Failed {
  readonly thrown: unknown;
  readonly exchange: Exchange;
  readonly closed: Promise<void>;
}

/** Starts or reaches the server; fails with an UpstreamError. */
export async function connect(server: ServerConfig, options: ConnectOptions): Promise<Connected> {
  const first = await attempt(server, options.dialect ?? preferred(server), options);
  if ("connection" in first) return first;
  for (const dialect of options.dialect === undefined ? alternatives(server, first) : []) {
    await first.closed;
    const next = await attempt(server, dialect, options);
    if ("connection" in next) return next;
  }
  throw startFailure(first.exchange, first.thrown);
}

function preferred(server: ServerConfig): Dialect {
  if (server.transport === "stdio") return "handshake";
  if (server.transport === "sse") return "sse";
  return server.protocolEra === "modern" ? "modern" : "handshake";
}

async function attempt(server: ServerConfig, dialect: Dialect, options: ConnectOptions): Promise<Connected | Failed> {
  const { timeoutMs, signal, authorization } = options;
  const transport = createTransport(server, dialect, options);
  let isConnected = false;
  // The SDK calls this before its own, with the same message.
  transport.onmessage = (message) => {
    if (dialect === "modern") assumeComplete(message);
    if (!isConnected) shortenInstructions(message);
  };
  const redact = createRedact(server, () => authorization?.secrets ?? []);
  const exchange: Exchange = { server: server.name, transport, redact, timeoutMs, signal };
  const questions = new Questions(server.name, options.onAmbiguousQuestion, {
    hasStreams: transport.host !== undefined,
  });
  const identity = { name: "mcp-coordinator", version: options.version };
  const client = new Client(identity, {
    capabilities,
    ...(dialect === "modern" && { versionNegotiation: { mode: { pin: modernVersion } } }),
  });
  // Both as they come: the SDK's own handlers drop what they do not know.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq: { signal } }) =>
    (await questions.answer({ method, params, signal })) as Result;
  client.fallbackNotificationHandler = async (notification) => {
    if (notification.method === "notifications/elicitation/complete") questions.onPageDone(notification);
    else options.onNotification(notification, questions.call?.caller);
  };
  client.onerror = ({ message }) => {
    if (message.startsWith("Received a response for an unknown message ID")) options.onStrayAnswer();
  };
  try {
    const outcome = await waitFor(client.connect(transport, { timeout: timeoutMs }), timeoutMs, signal);
    // The SDK gives neither time nor signal to the start of a transport; this is what it throws elsewhere.
    if (typeof outcome === "string") throw new SdkError(SdkErrorCode.RequestTimeout, outcome);
    isConnected = true;
    const connection = new Connection(client, exchange, questions, identity);
    const ended = new AbortController();
    client.onclose = () => {
      ended.abort();
      options.onEnd(connection);
      connection.abandon();
    };
    void followChanges(client, ended.signal, (method) => options.onNotification({ method }, undefined));
    return { connection, dialect };
  } catch (thrown) {
    const closed = transport.close();
    options.onClosing(closed);
    return { thrown, exchange, closed };
  }
}

/** A result that does not say what kind it is is a complete one; the SDK would refuse it. */
function assumeComplete(message: JSONRPCMessage): void {
  if ("result" in message) message.result["resultType"] ??= "complete";
}

/** They are kept as long as the connection is. */
function shortenInstructions(message: JSONRPCMessage): void {
  const { instructions } = "result" in message ? message.result : {};
  if (typeof instructions !== "string" || instructions.length <= mostInstructions) return;
  // Through bytes: a slice would keep the whole text alive.
  const start = Buffer.from(instructions.slice(0, mostInstructions)).toString();
  (message as { result: Record<string, unknown> }).result["instructions"] = `${start}…`;
}

function createTransport(server: ServerConfig, dialect: Dialect, options: ConnectOptions): ServerTransport {
  if (server.transport !== "stdio") {
    const Remote = dialect === "sse" ? SseTransport : StreamableTransport;
    return new Remote(server, options.authorization);
  }
  const transport = new StdioTransport(server);
  options.onVitals(transport);
  return transport;
}

/** What else to try with a server that has refused the handshake. */
function alternatives(server: ServerConfig, { thrown, exchange }: Failed): Dialect[] {
  const era = server.transport === "stdio" ? undefined : server.protocolEra;
  if (era === "modern") return [];
  const answer = httpAnswer(exchange, thrown);
  const rpcCode = thrown instanceof ProtocolError ? thrown.code : jsonRpcError(answer?.body ?? "")?.code;
  const dialects: Dialect[] = [];
  if (era === undefined && rpcCode !== undefined && strangeHandshake.has(rpcCode)) dialects.push("modern");
  if (server.transport === "auto" && answer !== undefined && missesEndpoint.has(answer.status)) dialects.push("sse");
  return dialects;
}
