import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { fieldsOf } from "../system/fields.ts";

const kept = { ttlMs: 0, cacheScope: "private" };
/** The least that the SDK takes for a result, by the method that it answers. */
const stubs: Readonly<Record<string, object>> = {
  "tools/call": { content: [] },
  "prompts/get": { messages: [] },
  "resources/read": { contents: [], ...kept },
  "tools/list": { tools: [], ...kept },
  "prompts/list": { prompts: [], ...kept },
  "resources/list": { resources: [], ...kept },
  "resources/templates/list": { resourceTemplates: [], ...kept },
};
const mostExpected = 10_000;
const ticket = "mcp-coordinator/raw";

/**
 * From 2026-07-28 on the SDK refuses a whole result over one part that it does not know: a content type, a tool with an
 * odd schema. Results go past it: it gets a stub with a ticket, for which the result is handed out as it came.
 */
export class RawResults {
  readonly #methods = new Map<unknown, string>();
  readonly #results = new Map<number, unknown>();
  #lastTicket = 0;

  /** To be called when the SDK has taken the transport. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    const deliver = transport.onmessage?.bind(transport);
    transport.send = (message, options) => {
      if ("method" in message && "id" in message && stubs[message.method]) this.#expect(message.id, message.method);
      return send(message, options);
    };
    transport.onmessage = (message, extra) => deliver?.(this.#replace(message), extra);
  }

  #expect(id: unknown, method: string): void {
    const [oldest] = this.#methods.keys();
    // Some are never answered.
    if (this.#methods.size >= mostExpected) this.#methods.delete(oldest);
    this.#methods.set(id, method);
  }

  /** The result that came, for what the SDK has made of it. */
  claim(result: unknown): unknown {
    const number = fieldsOf(fieldsOf(result)["_meta"])[ticket];
    if (typeof number !== "number" || !this.#results.has(number)) return result;
    const raw = this.#results.get(number);
    this.#results.delete(number);
    return raw;
  }

  #replace<Message extends JSONRPCMessage>(message: Message): Message {
    if (!("id" in message) || "method" in message) return message;
    const method = this.#methods.get(message.id);
    this.#methods.delete(message.id);
    if (method === undefined || !("result" in message)) return message;
    const { resultType, ...result } = fieldsOf(message.result);
    if (resultType !== "complete") return message;
    const number = ++this.#lastTicket;
    this.#results.set(number, result);
    // Who waits for it has it by then; who does not, because it came too late, never asks.
    setImmediate(() => this.#results.delete(number));
    return { ...message, result: { ...stubs[method], resultType, _meta: { [ticket]: number } } };
  }
}
