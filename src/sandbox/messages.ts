import type { GuestError, GuestLibrary } from "./engine.ts";

/** From host to guest. */
export type HostMessage =
  | {
      readonly type: "run";
      readonly code: string;
      readonly libraries: readonly GuestLibrary[];
      readonly operations: readonly string[];
      readonly outputBytes: number;
    }
  | { readonly type: "answer"; readonly id: number; readonly value?: unknown; readonly error?: GuestError };

/** From guest to host. The host treats each as hostile: see readGuestMessage. */
export type GuestMessage =
  | { readonly type: "ready" }
  | { readonly type: "print"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | {
      readonly type: "call";
      readonly id: number;
      readonly server: string;
      readonly tool: string;
      readonly args: Record<string, unknown>;
    }
  | { readonly type: "operation"; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly type: "done"; readonly value?: unknown }
  | { readonly type: "failed"; readonly error: GuestError }
  | { readonly type: "limit"; readonly limit: "memory" | "output" };

const deliveries = ["not_sent", "failed", "unknown"] as const;

/** The message in a frame, or undefined when it is not one: then the guest has broken the protocol. */
export function readGuestMessage(text: string): GuestMessage | undefined {
  const raw = parseObject(text);
  if (!raw) return undefined;
  const { type, id, value, stream, text: printed, server, tool, args, name, error, limit } = raw;
  switch (type) {
    case "ready":
      return { type };
    case "print":
      if ((stream !== "stdout" && stream !== "stderr") || typeof printed !== "string") return undefined;
      return { type, stream, text: printed };
    case "call":
      if (!Number.isSafeInteger(id) || typeof server !== "string" || typeof tool !== "string") return undefined;
      if (!isObject(args)) return undefined;
      return { type, id: id as number, server, tool, args };
    case "operation":
      if (!Number.isSafeInteger(id) || typeof name !== "string") return undefined;
      return { type, id: id as number, name, args };
    case "done":
      return Object.hasOwn(raw, "value") ? { type, value } : { type };
    case "failed":
      return isObject(error) ? { type, error: readGuestError(error) } : undefined;
    case "limit":
      return limit === "memory" || limit === "output" ? { type, limit } : undefined;
    default:
      return undefined;
  }
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
  const delivery = deliveries.find((known) => known === raw["delivery"]);
  return {
    name: text("name") ?? "Error",
    message: text("message") ?? "",
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
    ...(delivery !== undefined && { delivery }),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON is one more way of breaking the protocol
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
