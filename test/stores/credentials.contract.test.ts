import { describe, expect, test } from "vitest";
import { createCredentials } from "../../src/store/files/credentials.ts";
import type { Credentials, SignIn } from "../../src/upstream/oauth/credentials.ts";
import { createCredentialsInMemory } from "./in-memory/credentials.ts";
import { temporaryFolder } from "./open-stores.ts";

// Every store of sign-ins keeps to this.

const implementations: [string, () => Credentials][] = [
  ["files", () => createCredentials(temporaryFolder())],
  ["in memory", createCredentialsInMemory],
];

const url = "https://example.org/mcp";
const signIn: SignIn = { url, grants: {} };
const issuer = "https://example.org";
const tokens = { access_token: "secret", obtainedAt: 1 };
const signedIn: SignIn = {
  url,
  issuer,
  grants: { [issuer]: { client: { client_id: "us" }, authorizationServer: issuer, tokens } },
};

describe.each(implementations)("sign-ins, %s", (_implementation, open) => {
  test("what is kept is read back, listed and removed, by url", async () => {
    const credentials = open();
    expect([await credentials.read(url), await credentials.list()]).toEqual([undefined, []]);
    await credentials.write(signedIn);
    await credentials.write({ url: `${url}/other`, grants: {} });
    expect(await credentials.read(url)).toEqual(signedIn);
    expect(await credentials.read(`${url}/third`)).toBeUndefined();
    const urls = (await credentials.list()).map((kept) => kept.url);
    expect(urls.sort()).toEqual([url, `${url}/other`]);
    await credentials.remove(url);
    await credentials.remove(url);
    expect([await credentials.read(url), (await credentials.list()).length]).toEqual([undefined, 1]);
  });

  test("a write replaces all that was kept", async () => {
    const credentials = open();
    await credentials.write({ ...signedIn, challenge: { scope: "more" } });
    await credentials.write(signIn);
    expect(await credentials.read(url)).toEqual(signIn);
    expect(await credentials.list()).toEqual([signIn]);
  });

  describe("work on one url", () => {
    test("is done by one at a time, and each finds what the one before has written", async () => {
      const credentials = open();
      const add = () =>
        credentials.exclusively(url, async () => {
          const found = await credentials.read(url);
          await credentials.write({ url, grants: {}, issuer: `${found?.issuer ?? ""}x` });
        });
      await Promise.all(Array.from({ length: 6 }, add));
      expect((await credentials.read(url))?.issuer).toBe("xxxxxx");
    });

    test("answers what it has made, and does not wait for work on another", async () => {
      const credentials = open();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const first = credentials.exclusively(url, () => held.then(() => "first"));
      expect(await credentials.exclusively(`${url}/other`, async () => "other")).toBe("other");
      release();
      expect(await first).toBe("first");
    });

    test("that fails says so, and keeps nobody out", async () => {
      const credentials = open();
      const failing = credentials.exclusively(url, async () => {
        throw new Error("refused");
      });
      await expect(failing).rejects.toThrow("refused");
      expect(await credentials.exclusively(url, async () => "next")).toBe("next");
    });
  });
});
