import type { Services } from "../operations/services.ts";
import { floatingPackage } from "../servers/floating-package.ts";
import { plural } from "../system/plural.ts";
import type { Finding } from "./finding.ts";

const mostNamed = 5;

/** Commands that fetch whatever was published last, and definitions that are not as they were accepted. */
export async function checkPins({ pins, config }: Services, hasData: boolean): Promise<Finding[]> {
  const floating = config.servers.flatMap((server): Finding[] => {
    const found = server.transport === "stdio" ? floatingPackage(server.command, server.args) : undefined;
    if (!found) return [];
    const message = `its command leaves the version of ${found.name} open: each start may run other code than the last one`;
    const fix = `Write ${found.exact} in its place in ${config.file}, with the one that you want.`;
    return [{ area: "config", server: server.name, status: "warn", message, fix }];
  });
  if (!hasData) return floating;
  const names = [...(await pins.servers.load()).keys()];
  const open = await Promise.all(names.map(async (server) => ({ server, open: await pins.open(server) })));
  return [
    ...floating,
    ...open.flatMap(({ server, open: found }): Finding[] => {
      const waiting = found.filter(({ state }) => state !== "blocked");
      if (waiting.length === 0 || pins.mode(server) === "note") return [];
      const named = waiting.slice(0, mostNamed).map((pin) => `${pin.name || pin.kind} (${pin.state})`);
      const more = waiting.length > mostNamed ? ` and ${waiting.length - mostNamed} more` : "";
      const message = `${plural(waiting.length, "definition")} cannot be used until you have reviewed them: ${named.join(", ")}${more}`;
      return [
        {
          area: "server",
          server,
          status: "warn",
          message,
          fix: `mcp-coordinator pins diff ${server}, then pins accept or block`,
        },
      ];
    }),
  ];
}
