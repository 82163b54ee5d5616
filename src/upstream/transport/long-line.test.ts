import { describe, expect, test, vi } from "vitest";
import { weigh } from "./long-line.ts";

const handlingOf = (text: string) => weigh(Buffer.from(text));
const answer = (result: string) => `{"jsonrpc":"2.0","id":7,"result":{"a":${result}}}`;
const lists = (count: number) => `[${"[],".repeat(count)}[]]`;
const names = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`;
const tooMany = "its answer has more than 1600000 values (each new name counts as 4)";

describe("an answer is read", () => {
  const row = JSON.stringify({ id: 1, name: "n", a: 1.5, b: null, c: true, d: "x", e: [], f: "y", g: 0, h: "z" });
  test.each([
    ["one of 100,000 rows of 10 columns", answer(`[${`${row},`.repeat(1e5)}0]`)],
    ["one of 300,000 names", answer(names(300_000))],
    ["one of 60 MB in one text", answer(`"${'\\"[{,:'.repeat(10_000_000)}"`)],
    ["one of 500 levels", answer(`${"[".repeat(500)}${"]".repeat(500)}`)],
    ["one with a method inside", answer('{"method":1}')],
  ])("%s", (_, text) => {
    expect(handlingOf(text)).toBe("answer");
  });
});

describe("an answer is not read, and the call that waits for it is told", () => {
  test.each([
    ["one of very many values", answer(lists(900_000)), tooMany],
    ["one of very many names", answer(names(450_000)), tooMany],
    [
      "one of very many names in objects of their own",
      answer(`[${names(10)},${names(450_000).replaceAll(",", "},{")}]`),
      tooMany,
    ],
    ["one of many levels", answer(`${"[".repeat(513)}${"]".repeat(513)}`), "its answer nests deeper than 512 levels"],
  ])("%s", (_, text, message) => {
    expect(handlingOf(text)).toMatchObject({ tell: { id: 7, error: { message } } });
  });

  test.each([0, 0.5, 2 ** -16, 1 - 2 ** -32])(
    "names are told apart whatever their hashes begin with: %d",
    async (random) => {
      vi.resetModules();
      const spy = vi.spyOn(Math, "random").mockReturnValue(random);
      const { weigh } = await import("./long-line.ts");
      spy.mockRestore();
      expect(weigh(Buffer.from(answer(names(450_000))))).toMatchObject({ tell: { error: { message: tooMany } } });
    },
  );

  test.each([
    ["first", `{"id":7,"jsonrpc":"2.0","result":${lists(900_000)}}`, 7],
    ["last", `{"result":${lists(900_000)},"jsonrpc":"2.0", "id" : 7 }`, 7],
    ["between, and as a text", `{"jsonrpc":"2.0","result":${lists(9)},"id":"\\u0037","error":${lists(900_000)}}`, "7"],
    ["not where it is inside the result", `{"result":{"id":1,"a":${lists(900_000)},"b":{"id":2}},"id":7}`, 7],
  ])("its id is found: %s", (_, text, id) => {
    expect(handlingOf(text)).toMatchObject({ tell: { id } });
  });

  test.each([
    ["none", `{"jsonrpc":"2.0","result":${lists(900_000)}}`],
    ["null", `{"jsonrpc":"2.0","id":null,"result":${lists(900_000)}}`],
    ["a list", `{"jsonrpc":"2.0","id":[1,2],"result":${lists(900_000)}}`],
    ["a long text", `{"jsonrpc":"2.0","id":"${"x".repeat(2000)}","result":${lists(900_000)}}`],
    ["what breaks off", `{"jsonrpc":"2.0","result":${lists(900_000)},"id":"`],
  ])("one that nobody can wait for is passed over: the id is %s", (_, text) => {
    expect(handlingOf(text)).toBe("skip");
  });
});

describe("what a server says of its own accord", () => {
  const notification = (data: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":${data}}`;
  const request = (params: string) => `{"params":${params},"method":"elicitation/create","id":"q","jsonrpc":"2.0"}`;

  test("is read when it is no more than that", () => {
    expect(handlingOf(notification(lists(9_000)))).toBe("message");
    expect(handlingOf(request(lists(9_000)))).toBe("message");
    // A picture for the client's model.
    expect(handlingOf(request(`"${"A".repeat(5_000_000)}"`))).toBe("message");
  });

  test.each([
    ["of many values", lists(11_000)],
    ["of many bytes", `"${"x".repeat(1024 * 1024)}"`],
    ["of many levels", `${"[".repeat(513)}${"]".repeat(513)}`],
  ])("is passed over when it is a notification %s", (_, data) => {
    expect(handlingOf(notification(data))).toBe("skip");
  });

  test("is refused when it is a question of many values", () => {
    const message = "The request nests deeper than 512 levels, or has more than 20000 values.";
    expect(handlingOf(request(lists(11_000)))).toMatchObject({ reply: { id: "q", error: { code: -32600, message } } });
  });
});
