import type { Owner } from "../../system/owner.ts";
import { askRuntime } from "./ask-runtime.ts";
import type { ContainerRuntime } from "./find-runtime.ts";
import { readOwner } from "./owner-label.ts";
import { ownerLabel } from "./run-arguments.ts";

/** Removes the containers whose owner is gone; those of another node are not ours to judge. */
export async function sweep(
  { program, options }: ContainerRuntime,
  isAlive: (owner: Owner) => boolean | undefined,
): Promise<void> {
  const list = await askRuntime(program, [...options, "ps", "--all", "--quiet", "--filter", `label=${ownerLabel}`]);
  const ids = list.stdout.split(/\s+/).filter((id) => /^[0-9a-f]+$/.test(id));
  if (ids.length === 0) return;
  const format = `{{.Id}} {{index .Config.Labels "${ownerLabel}"}}`;
  const owners = await askRuntime(program, [...options, "container", "inspect", "--format", format, ...ids]);
  const stale = owners.stdout.split("\n").flatMap((line) => {
    const [id = "", text = ""] = line.split(" ");
    const owner = readOwner(text);
    return owner && isAlive(owner) === false ? [id] : [];
  });
  if (stale.length === 0) return;
  await askRuntime(program, [...options, "kill", ...stale]);
  await askRuntime(program, [...options, "rm", "--force", ...stale]);
}
