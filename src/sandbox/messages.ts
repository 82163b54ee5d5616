import { isFields } from "../system/fields.ts";
import type { CallRequest, GuestError, LimitName, Program, ResultParts, Skipped } from "./engine.ts";

/** From host to guest. */
export type HostMessage =
  | (Program & { readonly type: "run"; readonly outputBytes: number })
  | {
      readonly type: "answer";
      readonly id: number;
      readonly value?: unknown;
      readonly rest?: Rest;
      readonly error?: GuestError;
    }
  /** A text of a server, which stands behind it in the frame, after a line break: data if it is JSON or a literal of Python, else a text. */
  | { readonly type: "text"; readonly id: number; readonly rest?: Rest };

/** What a value leaves out of the result that it was made of. */
export interface Rest {
  readonly content: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** From guest to host. The host treats each as hostile: see readGuestMessage. */
export type GuestMessage =
  | { readonly type: "ready" }
  | {
      readonly type: "print";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
      /** What was printed there before it and not sent, since it would not be kept. */
      readonly skipped?: Skipped;
    }
  | (CallRequest & { readonly type: "call"; readonly id: number })
  | { readonly type: "operation"; readonly id: number; readonly name: string; readonly args: unknown }
  /** Asks for an answer after that time: a guest that can only wait by reading has no other clock to wait by. */
  | { readonly type: "wake"; readonly id: number; readonly ms: number }
  /** More of the JSON of a result that is too long for one piece; `done` then has the start of it. */
  | { readonly type: "part"; readonly text: string }
  | { readonly type: "done"; readonly value?: unknown; readonly parts?: ResultParts }
  | { readonly type: "failed"; readonly error: GuestError }
  | { readonly type: "limit"; readonly limit: GuestLimit };

/** The limits that a guest's own process notices first. */
type GuestLimit = Extract<LimitName, "memory" | "processes" | "open_files" | "scratch" | "frame">;

const guestLimits: readonly GuestLimit[] = ["memory", "processes", "open_files", "scratch", "frame"];
const units = ["characters", "items", "keys"] as const;
const deliveries = ["not_sent", "failed", "unknown"] as const;

/** The message in a frame, or undefined when it is not one: then the guest has broken the protocol. */
export function readGuestMessage(text: string): GuestMessage | undefined {
  const message = parseObject(text);
  if (!message) return undefined;
  const { type, id, value, stream, text: printed, server, tool, args, name, error, limit, ms } = message;
  switch (type) {
    case "ready":
      return { type };
    case "print":
      if ((stream !== "stdout" && stream !== "stderr") || typeof printed !== "string") return undefined;
      return { type, stream, text: printed, ...readSkipped(message["skipped"]) };
    case "call":
      if (!isWhole(id) || typeof server !== "string" || typeof tool !== "string") return undefined;
      if (!isFields(args)) return undefined;
      return { type, id, server, tool, args, raw: message["raw"] === true };
    case "operation":
      if (!isWhole(id) || typeof name !== "string") return undefined;
      return { type, id, name, args };
    case "wake":
      if (!isWhole(id) || typeof ms !== "number" || !(ms >= 0)) return undefined;
      return { type, id, ms };
    case "part":
      return typeof printed === "string" ? { type, text: printed } : undefined;
    case "done": {
      const parts = readParts(message["parts"]);
      return Object.hasOwn(message, "value") ? { type, value, ...(parts && { parts }) } : { type };
    }
    case "failed":
      return isFields(error) ? { type, error: readGuestError(error) } : undefined;
    case "limit": {
      const known = guestLimits.find((name) => name === limit);
      return known && { type, limit: known };
    }
    default:
      return undefined;
  }
}

function readSkipped(raw: unknown): { readonly skipped?: Skipped } {
  if (!isFields(raw)) return {};
  const { characters, bytes } = raw;
  return isWhole(characters) && isWhole(bytes) && characters >= 0 && bytes >= 0
    ? { skipped: { characters, bytes } }
    : {};
}

function readParts(raw: unknown): ResultParts | undefined {
  if (!isFields(raw)) return undefined;
  const { total, kept } = raw;
  const unit = units.find((known) => known === raw["unit"]);
  return unit && isWhole(total) && isWhole(kept) && kept >= 0 && kept <= total ? { unit, total, kept } : undefined;
}

function readGuestError(raw: Record<string, unknown>): GuestError {
  const text = (key: string): string | undefined => {
    const value = raw[key];
    return typeof value === "string" ? value.slice(0, 16_384) : undefined;
  };
  const stack = text("stack");
  const code = text("code");
  const server = text("server");
  const tool = text("tool");
  const { line } = raw;
  const delivery = deliveries.find((known) => known === raw["delivery"]);
  return {
    name: text("name") ?? "Error",
    message: text("message") ?? "",
    ...(stack !== undefined && { stack }),
    ...(isWhole(line) && { line }),
    ...(code !== undefined && { code }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ...(delivery !== undefined && { delivery }),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined; // not JSON is one more way of breaking the protocol
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
