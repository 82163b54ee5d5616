import { allowingRuleOperations } from "../operations/allowing-rule.ts";
import { approvalOperations } from "../operations/approvals.ts";
import { artifactOperations } from "../operations/artifacts.ts";
import { executeCode } from "../operations/code/execute-code.ts";
import { resumeRun } from "../operations/code/resume-run.ts";
import { guestSearch, searchTools } from "../operations/code/search-tools.ts";
import { callTool, getToolSchema, listServers, listTools } from "../operations/discovery/discovery.ts";
import { generateLibraries, generateTools } from "../operations/discovery/generate-tools.ts";
import { resourceAndPromptOperations } from "../operations/discovery/resources-and-prompts.ts";
import { toolChanges } from "../operations/discovery/tool-changes.ts";
import { environmentOperations } from "../operations/environment/environment.ts";
import { fetchOperations } from "../operations/fetch.ts";
import { fileOperations } from "../operations/files/files.ts";
import { memoryOperations } from "../operations/memory.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { acceptPins, blockPins } from "../operations/pins/decide-pins.ts";
import { exportPins, verifyPins } from "../operations/pins/lock-pins.ts";
import { diffPins, listPins } from "../operations/pins/pin-report.ts";
import { policyOperations } from "../operations/policy/policy-operations.ts";
import { importServers } from "../operations/registry/import-servers.ts";
import { installClient } from "../operations/registry/install-client.ts";
import { registryOperations } from "../operations/registry/registry.ts";
import { cancelRun, getRun, listRuns } from "../operations/runs.ts";
import type { Services } from "../operations/services.ts";
import { endSession, leaveSession, listSessions } from "../operations/sessions.ts";
import { skillOperations } from "../operations/skills/skills.ts";

/** Everything that the coordinator does. */
export function createOperations(services: Services): readonly AnyOperation[] {
  return [
    searchTools(services),
    executeCode(services),
    listServers(services),
    listTools(services),
    getToolSchema(services),
    callTool(services),
    generateTools(services),
    generateLibraries(services),
    guestSearch(services),
    toolChanges(services),
    ...artifactOperations(services),
    ...resourceAndPromptOperations(services),
    listRuns(services),
    getRun(services),
    resumeRun(services),
    cancelRun(services),
    ...approvalOperations(services),
    ...allowingRuleOperations(services),
    ...policyOperations(services),
    listPins(services),
    diffPins(services),
    acceptPins(services),
    blockPins(services),
    exportPins(services),
    verifyPins(services),
    listSessions(services),
    endSession(services),
    leaveSession(services),
    ...fetchOperations(services),
    ...skillOperations(services),
    ...fileOperations(services),
    ...memoryOperations(services),
    ...environmentOperations(services),
    importServers(services),
    installClient(services),
    ...registryOperations(services),
  ];
}
