import { markName, ownMark } from "./strays.ts";
import { type Survivor, startSurvivor } from "./survivor.ts";

/**
 * Outlives us by half a second: the end of its stdin is our end, however we died, and then it ends every group that is
 * still on its list. A constant: what is on the list comes by stdin, as numbers. (A constant and not a file, so that
 * the bundle carries it.)
 */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r line; do
  group=\${line#?}
  case $group in '' | 0* | 1 | *[!0-9]*) continue ;; esac
  case $line in
    +*) groups="$groups$group " ;;
    -*) case $groups in
      *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
    esac ;;
  esac
done
case $groups in *[0-9]*) ;; *) exit 0 ;; esac
end() { for group in $groups; do kill -s "$1" -- "-$group" || kill -s "$1" "$group"; done; }
end TERM
sleep 0.5
end KILL
# What has left its group: the environment still tells whose it is.
grep -lzs "^$2=$1[.]" /proc/[0-9]*/environ | while IFS=/ read -r _ _ stray _; do kill -s KILL "$stray"; done
`;

const guarded = new Set<number>();
let reaper: Survivor | undefined;

/**
 * Promises that the process group, or the one process of that id, ends soon after this process does, even by SIGKILL.
 * Returns how to take that back, once it has ended. Does nothing on Windows, which has no process groups.
 */
export function guardProcessGroup(group: number): () => void {
  // A signal to group 0 or 1 would reach ourselves or everyone.
  if (!Number.isSafeInteger(group) || group < 2) throw new RangeError(`not a process group: ${group}`);
  if (process.platform === "win32") return () => {};
  const isNew = !guarded.has(group);
  guarded.add(group);
  if (reaper === undefined) startReaper();
  else if (isNew) tell(`+${group}\n`);
  return () => {
    if (guarded.delete(group)) tell(`-${group}\n`);
  };
}

function startReaper(): void {
  const child = startSurvivor(script, ["mcp-coordinator-reaper", ownMark, markName], { PATH: "/usr/bin:/bin" });
  const forget = () => {
    if (reaper === child) reaper = undefined;
  };
  // Without a shell only the last resort is missing: servers still end by close(), or by the end of their stdin.
  child.once("error", forget);
  child.once("exit", forget);
  // A reaper that someone killed is started again with the next group.
  child.stdin.on("error", forget);
  reaper = child;
  for (const group of guarded) tell(`+${group}\n`);
}

function tell(line: string): void {
  if (reaper?.stdin.writable) reaper.stdin.write(line);
}
