import { expect, test } from "vitest";
import { showNetwork } from "./execute-code.ts";

test("the tool's text names the hosts that code may reach, as many as there is room for", () => {
  expect(showNetwork([])).toBe("No network");
  expect(showNetwork(["api.example.org", "*.example.net"])).toBe(
    "Network only by fetch and urllib.request, only to api.example.org, *.example.net",
  );
  const many = Array.from({ length: 100 }, (_, index) => `host-${index}.example.org`);
  expect(showNetwork(many)).toMatch(/^Network only by .* only to host-0\.example\.org, .* and 96 more$/);
  expect(showNetwork(["a".repeat(200)])).toBe("Network only by fetch and urllib.request, only to 1 host");
});
