import { placeIn, policyFindings } from "../operations/policy/lint-policy.ts";
import type { Services } from "../operations/services.ts";
import { plural } from "../system/plural.ts";
import type { Finding } from "./finding.ts";

/** The rules in force, and what their authors would want to know of them. Nothing where there are none. */
export async function checkPolicy(services: Services): Promise<Finding[]> {
  const { layers, policy, problem } = services.policy;
  if (layers.length === 0 && problem === undefined) return [];
  const rules = layers.reduce((sum, layer) => sum + layer.rules.length, 0);
  const message = `${plural(rules, "rule")} in ${plural(layers.length, "file")}, policy ${policy.hash.slice(0, 12)}`;
  const findings = (await policyFindings(services)).map((finding): Finding => {
    const { origin, file, path, rule } = finding;
    const name = path.endsWith(rule) ? "" : ` ${JSON.stringify(rule)}`;
    const fix = `Correct ${placeIn(origin, path)} in ${file}, or take it out.`;
    return { area: "policy", status: "warn", message: `${placeIn(origin, path)}${name} ${finding.message}`, fix };
  });
  return [{ area: "policy", status: "ok", message }, ...findings];
}
