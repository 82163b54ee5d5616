/** The groups of tools that AI clients can see. */
export const toolsetNames = ["code", "discovery", "skills", "files", "environment", "registry", "runs"] as const;

export type Toolset = (typeof toolsetNames)[number];
