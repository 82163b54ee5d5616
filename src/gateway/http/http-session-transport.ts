import { ProtocolErrorCode, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { messagesIn } from "../message-bounds.ts";
import { refusal } from "./message.ts";

type Transport = WebStandardStreamableHTTPServerTransport;

/** The SDK's, which finds the stream of an answer by the id of its request: an id that is under way is not taken twice. */
export class HttpSessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #underWay = new Set<unknown>();

  override async handleRequest(...[request, options]: Parameters<Transport["handleRequest"]>): Promise<Response> {
    const messages = messagesIn(options?.parsedBody);
    const ids = messages.flatMap((message) => (message?.method === undefined ? [] : (message.id ?? [])));
    if (new Set(ids).size < ids.length || ids.some((id) => this.#underWay.has(id))) return idTaken();
    for (const id of ids) this.#underWay.add(id);
    const response = await super.handleRequest(request, options);
    if (!response.ok) for (const id of ids) this.#underWay.delete(id);
    // A cancelled request gets no answer.
    for (const message of messages)
      if (message?.method === "notifications/cancelled") this.#underWay.delete(message.params?.requestId);
    return response;
  }

  override async send(...[message, options]: Parameters<Transport["send"]>): Promise<void> {
    await super.send(message, options).finally(() => {
      if (!("method" in message)) this.#underWay.delete(message.id);
    });
  }
}

function idTaken(): Response {
  const message = "Another request with this id is under way in the session. Give each request an id of its own.";
  return refusal(400, message, {}, ProtocolErrorCode.InvalidRequest);
}
