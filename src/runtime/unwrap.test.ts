import { expect, test } from "vitest";
import { failureOf, unwrap } from "./unwrap.ts";

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
  expect(JSON.parse(unwrap(result))).toEqual(expected);
});

test("an error result gives its texts as the message", () => {
  expect(failureOf({ isError: true, content: [text("no"), image, text("way")] })).toBe("no\nway");
  expect(failureOf({ isError: true })).toBe("the tool answered with an error and no text");
  expect(failureOf({ content: [text("fine")] })).toBeUndefined();
});
