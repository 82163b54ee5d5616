import { expect, test } from "vitest";
import { longestStandstill } from "../../../test/standstill.ts";
import { decided, errorMessageOf, unwrap as unwrapAny } from "./unwrap.ts";

/** Of what is not long, at once. */
const unwrap = (result: unknown) =>
  decided(unwrapAny(result), "") as Exclude<ReturnType<typeof decided>, Promise<unknown>>;

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "aGk=", mimeType: "image/png" };

test.each<[string, unknown, unknown]>([
  ["structured content wins", { content: [text("shown")], structuredContent: { a: 1 } }, { a: 1 }],
  ["structured content of any kind", { structuredContent: [1, null] }, [1, null]],
  ["a lone JSON text is data", { content: [text(' {"rows":[1,2]}')] }, { rows: [1, 2] }],
  ["a lone JSON array is data", { content: [text("[]")] }, []],
  ["a number in a text stays text", { content: [text("42")] }, "42"],
  ["what only looks like JSON stays text", { content: [text("{not json")] }, "{not json"],
  ["several items stay apart", { content: [text("a"), image, text('{"b":1}')] }, ["a", image, '{"b":1}']],
  ["a lone image is an object", { content: [image] }, image],
  ["an unknown kind is kept whole", { content: [{ type: "hologram", beams: 3 }] }, { type: "hologram", beams: 3 }],
  ["no content is null", { content: [] }, null],
  ["a result without content is kept", { toolResult: 5 }, { toolResult: 5 }],
  ["prototype keys are data", { content: [text('{"__proto__":{"x":1}}')] }, JSON.parse('{"__proto__":{"x":1}}')],
  ["nothing", undefined, null],
])("%s", (_name, result, expected) => {
  expect(JSON.parse(unwrap(result).value)).toEqual(expected);
});

test("whether a lone text is JSON is left to whoever reads it", () => {
  expect(unwrapAny({ content: [text("{not json")] })).toEqual({ text: "{not json" });
  expect(unwrapAny({ content: [text("42")] })).toEqual({ value: '"42"' });
});

test("an error result gives its texts as the message", () => {
  expect(errorMessageOf({ isError: true, content: [text("no"), image, text("way")] })).toBe("no\nway");
  expect(errorMessageOf({ isError: true })).toBe("the tool answered with an error and no text");
  expect(errorMessageOf({ content: [text("fine")] })).toBeUndefined();
  expect(errorMessageOf({ isError: true, content: [text(""), text("x")] })).toBe("\nx");
});

test("the message of an error has nothing that terminals obey or people cannot see", () => {
  const hostile = "no\u001b[31m \u202eway\u{e0041}\u{e0042}\r\n\tnext: é 漢";
  expect(errorMessageOf({ isError: true, content: [text(hostile)] })).toBe("no way\n\tnext: é 漢");
});

test("of a tool's error no more is looked at than is shown", () => {
  const neverRead = {
    get type(): string {
      throw new Error("read");
    },
  };
  const message = errorMessageOf({ isError: true, content: [text("x".repeat(40_000)), neverRead] });
  expect(message).toBe(`${"x".repeat(8191)}…`);
});

const dated = { type: "text", text: '{"a":1}', annotations: { lastModified: "2026-01-01T00:00:00Z" } };
const meta = { "example.org/cost": 3 };

test.each<[string, unknown, unknown]>([
  [
    "a picture beside structured content",
    { content: [text("1"), image], structuredContent: { a: 1 } },
    [text("1"), image],
  ],
  [
    "words of its own beside structured content",
    { content: [text("one")], structuredContent: { a: 1 } },
    [text("one")],
  ],
  ["the marks of a text that became data", { content: [dated] }, [dated]],
  ["the marks of a text among others", { content: [dated, image] }, [dated, image]],
])("the rest has %s", (_name, result, content) => {
  expect(JSON.parse(unwrap(result).rest ?? "null")).toEqual({ content });
});

test.each<[string, unknown]>([
  ["a text copy of structured content", { content: [text('{ "a": 1 }')], structuredContent: { a: 1 } }],
  ["a text copy of what was put into an object", { content: [text("[1]")], structuredContent: { result: [1] } }],
  ["text copies of each item", { content: [text("x"), text("2")], structuredContent: { result: ["x", 2] } }],
  ["structured content alone", { structuredContent: { a: 1 } }],
  ["items that the value holds", { content: [text("a"), image] }],
  [
    "a name that every result has",
    { content: [image], _meta: { "io.modelcontextprotocol/serverInfo": { name: "x" } } },
  ],
  ["a value that is not an object", { content: [image], structuredContent: "text", _meta: meta }],
])("nothing is left out of %s", (_name, result) => {
  expect(unwrap(result).rest).toBeUndefined();
});

test("the rest has what the server noted about the result", () => {
  const result = { content: [image], structuredContent: [1], _meta: meta };
  expect(JSON.parse(unwrap(result).rest ?? "null")).toEqual({ content: [image], _meta: meta });
  expect(JSON.parse(unwrap({ content: [text("[]")], _meta: meta }).rest ?? "null")).toEqual({
    content: [],
    _meta: meta,
  });
});

test("a list or dict of Python is data outside of guests too, however long", async () => {
  const read = async (lone: string) => (await decided(unwrapAny({ content: [text(lone)] }), "")).value;
  expect(await read("[{'id': 1, 'n': None}]")).toBe('[{"id":1,"n":null}]');
  expect(JSON.parse(await read(`[${"{'n': None}, ".repeat(100_000)}]`))).toHaveLength(100_000);
  expect(await read("{'n': NaN}")).toBe(`"{'n': NaN}"`);
});

test("a long text is read in another thread, as data where it is that", async () => {
  const long = "x".repeat(1_000_000);
  const read = (lone: string) => decided(unwrapAny({ content: [text(lone)] }), "");
  const { result, longestMs } = await longestStandstill(() =>
    Promise.all([read(`["${long}"]`), read(`{"${long}`), read(`[${"{},".repeat(5_000_000)}{}]`), read(long)]),
  );
  expect(result.map(({ value }) => value.slice(0, 3))).toEqual(['["x', '"{\\', '"[{', '"xx']);
  expect(longestMs).toBeLessThan(2000);
});
