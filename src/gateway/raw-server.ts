import { Server, type StandardSchemaV1 } from "@modelcontextprotocol/server";
import type { Notification } from "../actor.ts";

export type Params = Readonly<Record<string, unknown>>;

type StoredHandler = Parameters<Server["_wrapHandler"]>[1];

/** Lets everything pass as it is. */
export const anything: StandardSchemaV1<unknown, Params> = {
  "~standard": { version: 1, vendor: "mcp-coordinator", validate: (value) => ({ value: value as Params }) },
};

/** The SDK would check the results of these, or ask the client for input itself. */
const rawMethods = new Set(["tools/call", "prompts/get", "resources/read"]);

/** The SDK's server for requests and results that are handed on: it checks and drops nothing of them. */
export class RawServer extends Server {
  readonly #onOver = new Set<() => void>();

  /** Calls back when the client has gone. */
  onOver(listener: () => void): void {
    this.#onOver.add(listener);
  }

  /** Tells the client something that is not about one of its requests. */
  tell({ method, params }: Notification): void {
    this.notification({ method, ...(params && { params }) }).catch(() => {}); // the client has gone
  }

  protected override _wrapHandler(method: string, handler: StoredHandler): StoredHandler {
    return rawMethods.has(method) ? handler : super._wrapHandler(method, handler);
  }

  protected override _onclose(): void {
    for (const listener of this.#onOver) listener();
    super._onclose();
  }
}
