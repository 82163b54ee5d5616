import { expect, test } from "vitest";
import { ownerText, readOwner } from "./owner.ts";

const owner = { pid: 4711, mark: "123456" };

test("an owner is read back from what its containers are labelled with", () => {
  expect(readOwner(ownerText(owner, "0af3"))).toEqual(owner);
  expect(readOwner(ownerText({ pid: 4711, mark: "" }, "0af3"))).toEqual({ pid: 4711, mark: "" });
});

test("an owner whose process ids are not ours, and no owner at all, is nobody that we could call dead", () => {
  const [pid, mark, , part] = ownerText(owner, "0af3").split(".");
  expect(readOwner([pid, mark, "1", part].join("."))).toBeUndefined();
  for (const text of ["", "<no value>", "4711", "../1.2.3"]) expect(readOwner(text)).toBeUndefined();
});
