import { expect, test } from "vitest";
import { CoordinatorError } from "../../errors.ts";
import { attachmentsOf, showAttachment } from "./attachments.ts";

const image = (data = "aGk=", mimeType = "image/png") => ({ type: "image", data, mimeType });
const kept: [string, string | Uint8Array][] = [];
const keep = async (name: string, data: string | Uint8Array) => {
  kept.push([name, data]);
  return { uri: `artifact://run/${name}`, bytes: data.length };
};

test("bytes become files, wherever they are, and the rest of the value stays as it is", async () => {
  kept.length = 0;
  const note = {
    type: "resource",
    resource: { uri: "note://1", text: "one", _meta: { a: 1 } },
    annotations: { priority: 1 },
  };
  const { value, attached } = await attachmentsOf(
    { deep: [1, { picture: image() }], note, other: { type: "image" } },
    keep,
  );
  const picture = { type: "image", mimeType: "image/png", artifact: "artifact://run/image-1.png", bytes: 2 };
  const resource = {
    ...{ type: "resource", resource: { uri: "note://1", _meta: { a: 1 } }, annotations: { priority: 1 } },
    ...{ isText: true, artifact: "artifact://run/resource-2.txt", bytes: 3 },
  };
  expect(value).toEqual({ deep: [1, { picture }], note: resource, other: { type: "image" } });
  expect(attached).toEqual([picture, resource]);
  expect(kept).toEqual([
    ["image-1.png", Buffer.from("hi")],
    ["resource-2.txt", "one"],
  ]);
});

test("a value without any is the value itself", async () => {
  const value = { a: [image("no base64!"), { type: "image", data: "aGk=" }, { type: "text", text: "x" }] };
  expect(await attachmentsOf(value, keep)).toEqual({ value, attached: [] });
  expect((await attachmentsOf(value, keep)).value).toBe(value);
  expect((await attachmentsOf(undefined, keep)).value).toBeUndefined();
});

test("what there is no room for is named with the reason", async () => {
  const full = async () => {
    throw new CoordinatorError("storage_full", "The artifact was not saved: no room");
  };
  const { attached } = await attachmentsOf(image(), full);
  expect(attached).toEqual([
    { type: "image", mimeType: "image/png", bytes: 2, unsent: "The artifact was not saved: no room" },
  ]);
  expect(attached.map(showAttachment)).toEqual([
    "[image 0: image/png, 2 bytes; not shown here: The artifact was not saved: no room]",
  ]);
});

test.each<[string, object[], (string | undefined)[]]>([
  ["a type that models do not take", [image("aGk=", "image/tiff")], ["models do not take such images"]],
  [
    "more than 600 kB together",
    [image("A".repeat(800_000)), image()],
    [undefined, "an answer has at most 600 kB of them"],
  ],
  [
    "long texts",
    [{ type: "resource", resource: { uri: "a:b", text: "x".repeat(8001) } }],
    ["an answer has at most 8000 characters of such texts"],
  ],
])("clients do not get %s as content", async (_name, items, expected) => {
  expect((await attachmentsOf(items, keep)).attached.map(({ unsent }) => unsent)).toEqual(expected);
});
