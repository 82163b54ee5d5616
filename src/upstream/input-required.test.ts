import { expect, test } from "vitest";
import { inputResponses } from "./input-required.ts";

test("more questions at once than a call may have are refused before one is asked", async () => {
  const asked: string[] = [];
  const send = (count: number) => {
    const questions = Array.from({ length: count }, (_, n) => [`q${n}`, { method: "roots/list" }]);
    const answer = { resultType: "input_required", inputRequests: Object.fromEntries(questions) } as const;
    return inputResponses(answer, 1, async ({ method }) => asked.push(method));
  };
  await expect(send(11)).rejects.toThrow("it asks for more than 10 things at once");
  expect(asked).toEqual([]);
  await send(10);
  expect(asked).toHaveLength(10);
});
