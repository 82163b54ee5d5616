import { visibleText } from "../../approvals/visible-text.ts";
import type { PolicyInForce } from "../../door/policy-in-force.ts";
import type { Services } from "../services.ts";
import { policyFindings, showFinding } from "./lint-policy.ts";

/** Of what is odd, so much in one go. */
const mostTold = 10;
/** Between two looks at the files, where nobody calls anything meanwhile. */
const lookMs = 1000;

/** That the files cannot be used any more, in words; undefined while they can. */
export function brokenPolicy({ problem }: Pick<PolicyInForce, "problem">): string | undefined {
  if (problem === undefined) return undefined;
  return `The rules cannot be read as they are now, and those from before stay in force: ${problem}`;
}

/** What the caller of a run should know of the rules, once for each problem that they have. */
export function createPolicyNews(policy: Pick<PolicyInForce, "problem">): () => readonly string[] {
  let told: string | undefined;
  return () => {
    const broken = brokenPolicy(policy);
    const isNew = broken !== undefined && broken !== told;
    told = broken;
    return isNew ? [broken] : [];
  };
}

/** Tells what is odd about the rules, once each, and whenever other rules count or the files cannot be used. Ends with the process. */
export async function followPolicy(services: Services, tell: (message: string) => void): Promise<void> {
  const { policy } = services;
  const told = new Set<string>();
  const lint = async (): Promise<void> => {
    const findings = (await policyFindings(services)).map(showFinding).filter((finding) => !told.has(finding));
    for (const finding of findings) told.add(finding);
    for (const finding of findings.slice(0, mostTold)) tell(finding);
    const more = findings.length - mostTold;
    if (more > 0) tell(`and ${more} more about the rules: \`mcp-coordinator policy lint\` lists them`);
  };
  let hash = policy.policy.hash;
  let broken = brokenPolicy(policy);
  policy.onChange(() => {
    const now = brokenPolicy(policy);
    if (now !== undefined && now !== broken) tell(visibleLines(now));
    else if (now === undefined && broken !== undefined) tell("The rules can be read again.");
    broken = now;
    if (policy.policy.hash === hash) return;
    hash = policy.policy.hash;
    tell(`Other rules count from now on (policy ${hash.slice(0, 12)}).`);
    lint().catch(() => {}); // the store tells of itself
  });
  setInterval(() => void policy.now(), lookMs).unref();
  await lint();
}

function visibleLines(text: string): string {
  return text.split("\n").map(visibleText).join("\n");
}
