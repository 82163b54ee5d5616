import type { Via } from "../../actor.ts";
import type { Tool } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import { reasonInWords } from "../../policy/decision-text.ts";
import type { Outlook } from "../../policy/outlook.ts";
import type { OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";

/** What rules say beforehand of a tool: a person is asked, at least for some arguments; or it is denied, whatever they are. */
export type PolicyMark = "asks" | "denied";

type Named = Pick<Tool, "name" | "annotations">;

/** Tools as those see them who may call them by some faces only. */
export interface OfferedTools {
  markOf(server: string, tool: Named): PolicyMark | undefined;
  /** Whether it is not to be seen, because it cannot be called anyway. */
  isHidden(server: string, tool: Named): boolean;
  /** Those of a server's names that are to be seen. */
  seen(server: string, names: readonly string[]): Promise<readonly string[]>;
}

/** Undefined where rules have nothing to say. */
export async function offeredTools(
  { policy: inForce, libraries }: Pick<Services, "policy" | "libraries">,
  faces: readonly Via[],
): Promise<OfferedTools | undefined> {
  const policy = await inForce.now();
  if (policy.isSilent) return undefined;
  const markOf: OfferedTools["markOf"] = (server, { name: tool, annotations: claims }) => {
    const outlooks = faces.map((via) => policy.outlook({ kind: "tool", server, tool, via, claims }));
    if (outlooks.every(({ action }) => action === "denied")) return "denied";
    return outlooks.some(({ action }) => action === "asks") ? "asks" : undefined;
  };
  const isHidden: OfferedTools["isHidden"] = (server, tool) => !policy.showsDenied && markOf(server, tool) === "denied";
  return {
    markOf,
    isHidden,
    async seen(server, names) {
      const known = (await libraries.load([server])).get(server)?.tools;
      return names.filter((name) => !isHidden(server, known?.get(name) ?? { name }));
    },
  };
}

/** The faces by which those who ask could call what they find: a guest by its own, a client by the tools that it has. */
export function facesOf({ config }: Pick<Services, "config">, { run, via }: OperationContext): readonly Via[] {
  if (run) return [via ?? "code"];
  const { toolsets } = config;
  const direct: readonly Via[] = toolsets.includes("discovery") ? ["call_tool"] : [];
  return toolsets.length === 1 && direct.length === 1 ? direct : ["code", ...direct];
}

/** Whether a model or a guest asks, and not a person or their program: those see all there is. */
export function isSparedDenied({ caller, run }: OperationContext): boolean {
  return caller !== undefined || run !== undefined;
}

/** Says why a tool is not shown. */
export async function deniedTool(
  { policy }: Pick<Services, "policy">,
  server: string,
  { name: tool, annotations }: Named,
  [via = "code"]: readonly Via[],
): Promise<CoordinatorError> {
  const outlook: Outlook = (await policy.now()).outlook({ kind: "tool", server, tool, via, claims: annotations });
  return new CoordinatorError("tool_denied", `${server}.${tool} is denied by ${reasonInWords(outlook.by ?? {})}`, {
    hint: "Do without it: only the user can change the rules.",
  });
}

/** `2 tools are left out: the user's rules deny them.` */
export function sayDenied(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? "1 tool is left out: the user's rules deny it."
    : `${count} tools are left out: the user's rules deny them.`;
}
