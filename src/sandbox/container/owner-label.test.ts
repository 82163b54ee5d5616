import { expect, test } from "vitest";
import { ownerText, readOwner } from "./owner-label.ts";

test.each(["4711.123456", "4711."])(
  "an owner of the epoch %j is read back from what its containers are labelled with",
  (epoch) => {
    const owner = { node: "0123456789ab", epoch };
    expect(readOwner(ownerText(owner, "0af3"))).toEqual(owner);
  },
);

test.each(["", "<no value>", "4711", "../1.2.3"])("%j is not an owner", (text) => {
  expect(readOwner(text)).toBeUndefined();
});
