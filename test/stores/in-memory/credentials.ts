import type { Credentials, SignIn } from "../../../src/upstream/oauth/credentials.ts";

export function createCredentialsInMemory(): Credentials {
  const kept = new Map<string, SignIn>();
  /** By url, the last who wants to be alone. */
  const last = new Map<string, Promise<unknown>>();
  return {
    read: async (url) => structuredClone(kept.get(url)),
    async write(signIn) {
      kept.set(signIn.url, structuredClone(signIn));
    },
    async remove(url) {
      kept.delete(url);
    },
    list: async () => structuredClone([...kept.values()]),
    exclusively(url, work) {
      const done = (last.get(url) ?? Promise.resolve()).then(work);
      const over = done.catch(() => {});
      last.set(url, over);
      return done;
    },
  };
}
