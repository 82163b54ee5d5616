import type { RawServer } from "./raw-server.ts";

/** Which clients want to know when a resource changes. The server is asked once for all of them. */
export class ExposedSubscriptions {
  readonly #subscribers = new Map<string, Set<RawServer>>();

  /** Whether this is the first, so that the server must be asked. */
  add(uri: string, subscriber: RawServer): boolean {
    const subscribers = this.#subscribers.get(uri);
    if (subscribers) {
      subscribers.add(subscriber);
      return false;
    }
    this.#subscribers.set(uri, new Set([subscriber]));
    return true;
  }

  /** Whether nobody is left. */
  remove(uri: string, subscriber: RawServer): boolean {
    const subscribers = this.#subscribers.get(uri);
    if (!subscribers?.delete(subscriber) || subscribers.size > 0) return false;
    return this.#subscribers.delete(uri);
  }

  has(uri: string, subscriber: RawServer): boolean {
    return this.#subscribers.get(uri)?.has(subscriber) ?? false;
  }

  of(subscriber: RawServer): string[] {
    return [...this.#subscribers].flatMap(([uri, subscribers]) => (subscribers.has(subscriber) ? [uri] : []));
  }
}
