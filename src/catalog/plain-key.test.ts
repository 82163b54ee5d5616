import { expect, test } from "vitest";
import { isPlainKey } from "./plain-key.ts";

test.each(
  "id name created_at createdAt max-results @type $ref _id __typename sha256 address_line_2 i18n oauth2Token x URL htmlURL xAxisKey isOK s3Bucket total_count nextCursor DTSTART".split(
    " ",
  ),
)("%s is a name", (key) => {
  expect(isPlainKey(key)).toBe(true);
});

test.each([
  "ada@example.org",
  "550e8400-e29b-41d4-a716-446655440000",
  "42",
  "2024-01-01",
  "a1b2c3d4e5",
  "deadbeef0123",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "sk-proj-Zx81kQpLmN20aVbC",
  "xoxb-2345-abcdef",
  "AKIAIOSFODNN7EXAMPLE",
  "xQzRtPlkWqNv",
  "qwrtplkjhg",
  "Ada Lovelace",
  "www.example.org",
  "src/main.ts",
  "日本",
  "__proto__",
  "",
  "word".repeat(11),
])("%j is data", (key) => {
  expect(isPlainKey(key)).toBe(false);
});
