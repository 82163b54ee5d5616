import type { AnyOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { lintPolicyOperation } from "./lint-policy.ts";
import { replayPolicyOperation } from "./replay-policy.ts";
import { showPolicyOperation } from "./show-policy.ts";
import { testPolicyOperation } from "./test-policy.ts";

/** What the rules are and say, for the faces of people: neither a model nor a guest has any of it. */
export function policyOperations(services: Services): readonly AnyOperation[] {
  return [
    showPolicyOperation(services),
    testPolicyOperation(services),
    lintPolicyOperation(services),
    replayPolicyOperation(services),
  ];
}
