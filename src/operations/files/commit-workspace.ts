import * as z from "zod";
import { type Commit, commitFolder } from "../../workspace/commit.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

const mostShown = 50;

export function commitWorkspace({ workspace, git, door }: Services) {
  return defineOperation({
    name: "commit_workspace",
    description: "Record the files of the workspace in its git repository",
    toolset: "files",
    hints: { destructiveHint: false, openWorldHint: false },
    input: () =>
      z.strictObject({
        message: z.string().trim().min(1).max(10_000),
        init: z.boolean().optional().describe("make the workspace a repository if it is not one"),
      }),
    run: (input, actor) => door.own("workspace.commit", input, actor, () => commitFolder(git, workspace, input)),
    present: (made) => ({ text: showCommit(made) }),
  });
}

function showCommit({ commit, files }: Commit): string {
  if (commit === undefined) return "Nothing to commit: the files are as in the last commit.";
  const shown = files.slice(0, mostShown).map(({ path, change }) => `  ${change} ${path}`);
  const more = files.length > mostShown ? [`  and ${files.length - mostShown} more`] : [];
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  return [`Commit ${commit.slice(0, 12)}: ${count}`, ...shown, ...more].join("\n");
}
