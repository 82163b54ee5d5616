import { expect, test } from "vitest";
import { hostGlob, plainHost, possibleHosts } from "./host.ts";

test.each<[string, string | undefined, readonly string[]]>([
  ["https://acme.com/", "acme.com", ["acme.com"]],
  ["https://user:x@acme.com:8443/x?y#z", "acme.com", ["acme.com"]],
  ["https://acme.com./", "acme.com", ["acme.com"]],
  ["git://ACME.com/x", "acme.com", ["acme.com"]],
  ["http://[::1]:80/", "[::1]", ["[::1]"]],
  ["http://0x7f.1/", undefined, ["127.0.0.1"]],
  ["https://b\u00fccher.example/", undefined, ["xn--bcher-kva.example"]],
  ["https://%61cme.com/", undefined, ["acme.com"]],
  ["https://acme.com\\@evil.io/", undefined, ["acme.com", "evil.io"]],
  ["https://a@evil.io@acme.com/", undefined, ["acme.com"]],
  ["https://acme.com/\n", undefined, ["acme.com"]],
  ["https:acme.com", undefined, ["acme.com"]],
  ["//acme.com/x", undefined, ["acme.com"]],
  ["mailto:x@acme.com", undefined, ["acme.com"]],
  ["two words", undefined, []],
  ["", undefined, []],
])("the host of %j", (text, plain, possible) => {
  expect(plainHost(text)).toBe(plain);
  expect(possibleHosts(text)).toEqual(expect.arrayContaining([...possible]));
  if (possible.length === 0) expect(possibleHosts(text)).toEqual([]);
});

test.each([
  ["*.ACME.com", "*.acme.com"],
  ["acme.com.", "acme.com"],
  ["*.b\u00fccher.example", "*.xn--bcher-kva.example"],
  ["*", "*"],
  ["a?.acme.com", "a?.acme.com"],
  ["[::1]", "[::1]"],
  ["127.0.0.1", "127.0.0.1"],
])("the glob %j fits hosts as addresses have them", (glob, fitting) => {
  expect(hostGlob(glob)).toBe(fitting);
});
