import { expect, test } from "vitest";
import { canonicalHost, readAllowedHost } from "./allowed-host.ts";

test.each([
  ["api.example.org", { host: "api.example.org", subdomains: false, port: undefined }],
  ["API.Example.ORG.", { host: "api.example.org", subdomains: false, port: undefined }],
  ["*.example.org", { host: "example.org", subdomains: true, port: undefined }],
  ["*.example.org:8443", { host: "example.org", subdomains: true, port: 8443 }],
  ["bücher.example", { host: "xn--bcher-kva.example", subdomains: false, port: undefined }],
  ["93.184.216.34", { host: "93.184.216.34", subdomains: false, port: undefined }],
  ["[2606:4700:4700::1111]:53", { host: "2606:4700:4700::1111", subdomains: false, port: 53 }],
  ["a_b.example.org", { host: "a_b.example.org", subdomains: false, port: undefined }],
])("the entry %s is read", (entry, expected) => {
  expect(readAllowedHost(entry)).toEqual(expected);
});

test.each([
  ["*", "opens too much"],
  ["*.", "opens too much"],
  ["*.org", "opens too much"],
  ["*.org.", "opens too much"],
  ["*.com:443", "opens too much"],
  ["", "is not a host"],
  ["**.example.org", "is not a host"],
  ["*.*.example.org", "is not a host"],
  ["api.*.org", "is not a host"],
  ["*example.org", "is not a host"],
  ["https://api.example.org", "is not a host"],
  ["api.example.org/path", "is not a host"],
  ["api.example.org@evil.example", "is not a host"],
  ["evil.example#api.example.org", "is not a host"],
  ["api.example.org\0", "is not a host"],
  ["api example.org", "is not a host"],
  ["api..example.org", "is not a host"],
  ["api.example.org..", "is not a host"],
  ["-api.example.org", "is not a host"],
  ["%61pi.example.org", "is not a host"],
  ["*.127.0.0.1", "is not a host"],
  ["*.0x7f.1", "is not a host"],
  ["::1", "is not a host"],
  ["[fe80::1%lo]", "is not a host"],
  ["localhost", "has a dot"],
  ["api.example.org:0", "port outside"],
  ["api.example.org:65536", "port outside"],
  ["api.example.org:", "is not a host"],
  [`${"a".repeat(64)}.example.org`, "is not a host"],
  [`${"a.".repeat(126)}example.org`, "is not a host"],
])("the entry %j is refused: %s", (entry, problem) => {
  expect(readAllowedHost(entry)).toContain(problem);
});

test.each([
  ["2130706433", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["１２７.0.0.1", "127.0.0.1"],
  ["0", "0.0.0.0"],
  ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
  ["example。org", "example.org"],
  ["host:80", undefined],
  ["user@host.example", undefined],
  ["host.example/path", undefined],
])("%s is %s in its one spelling", (text, host) => {
  expect(canonicalHost(text)).toBe(host);
});
