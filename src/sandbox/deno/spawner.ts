import type { Limits, Outcome, Sandbox } from "../engine.ts";
import { type ForkServer, startForkServer } from "../fork-server.ts";
import { createForkServers } from "../fork-servers.ts";
import { openSandbox } from "../open-sandbox.ts";

/**
 * Starts guests for us: a shell of a megabyte is copied in a fraction of the time that a copy of our own process takes, and
 * we do not stand still meanwhile. It speaks as fork servers do (see fork-server.ts). Each guest has a shell that waits for
 * it, so that its id stays its own until it is told to end it. Which signal comes too early for that is lost, and the
 * guest, which has no program yet, ends with its channel. When we are gone, all end at once.
 *
 * A constant and not a file, so that the bundle carries it. Shells know channels by one digit only: that makes seven.
 */
const script = `
{ ulimit -c 0 && ulimit -d "$1" && ulimit -S -t "$2" && ulimit -H -t "$3" && ulimit -n "$4"; } || exit 1
[ -z "$5" ] || ulimit -s "$5" || exit 1
filter=$6
shift 6
trap '' TERM
read -r _
while read -r word slot; do
  channel=$((slot + 3))
  case $word in
    start)
      (
        "$@" <&"$channel" >&"$channel" 3<"$filter" 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
        guest=$!
        trap 'stopped=1; kill -s KILL "$guest"' TERM
        exec <&- 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
        wait "$guest"
        status=$?
        [ -z "$stopped" ] || wait "$guest"
        echo "ended $slot $((status * 256)) 0 0"
      ) &
      eval "guest$slot=$!; exec $channel>&-"
      ;;
    kill) eval "kill -s TERM \\$guest$slot" ;;
  esac
done
kill -s KILL 0
`;

const slots = 7;

/** What the system lets a process have. */
export interface ProcessLimits {
  readonly dataMb: number;
  /** A second later the process is killed. */
  readonly cpuSeconds: number;
  readonly openFiles: number;
  /** The usual one when absent. */
  readonly stackMb?: number | undefined;
}

/** How a spawner starts a command. */
export interface SpawnerCommand {
  readonly limits: ProcessLimits;
  /** The file with the system call filter, which the command finds as descriptor 3. */
  readonly filter: string;
}

interface ToSpawn {
  readonly spawner: SpawnerCommand;
  readonly words: readonly string[];
}

/** Starts sandboxes by spawners, each of which starts a few of the same command. */
export function createSpawners<Command extends Partial<ToSpawn>>(
  explainEnd: (code: number | null, command: Command) => Outcome,
) {
  const servers = createForkServers<Command & ToSpawn>(
    (command, onEnd) =>
      startForkServer({
        command: spawnerWords(command),
        settings: {},
        slots,
        beforeStart: () => {},
        explainEnd: (_slot, end) => explainEnd(end?.code ?? null, command),
        onEnd,
      }),
    0,
  );
  const used = new WeakSet<ForkServer>();
  return {
    async start(command: Command & ToSpawn, limits: Limits, signal: AbortSignal | undefined): Promise<Sandbox> {
      const server = servers.withSlot(command);
      const guest = server.startGuest();
      signal?.addEventListener("abort", guest.kill, { once: true });
      // Its stderr is that of all its guests: once one of them can have a program, words may be anybody's.
      const gone = guest.gone.then((end) => (used.has(server) ? { ...end, lastWords: "" } : end));
      const sandbox = await openSandbox({ ...guest, gone }, limits);
      used.add(server);
      return sandbox;
    },
    /** Ends the spawners that have no guest. */
    retire: () => servers.retire(),
  };
}

function spawnerWords({ spawner: { limits, filter }, words }: ToSpawn): readonly [string, ...string[]] {
  const { dataMb, cpuSeconds, openFiles, stackMb } = limits;
  const values = [dataMb * 1024, cpuSeconds, cpuSeconds + 1, openFiles, stackMb === undefined ? "" : stackMb * 1024];
  return ["/bin/sh", "-c", script, "mcp-coordinator-spawner", ...values.map(String), filter, ...words];
}
