import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Coordinator } from "../app/coordinator.ts";
import { createGateway, type GatewayOptions } from "./gateway.ts";
import { listChanges } from "./list-changes.ts";
import { ClientStdioTransport, type Streams } from "./stdio-transport.ts";

/** Serves the coordinator to one AI client on this process's stdin and stdout. */
export function serveOnStdio(
  coordinator: Coordinator,
  options: GatewayOptions,
  streams: Streams,
): { close(): Promise<void> } {
  const gateway = createGateway(coordinator, options);
  const serving = serveStdio(
    ({ era }) => {
      const server = gateway.createServer({ id: "stdio" });
      if (era === "modern")
        options.exposed?.onNotification(
          (notification) => listChanges.has(notification.method) && server.tell(notification),
        );
      return server;
    },
    { transport: new ClientStdioTransport(streams), onerror: options.onError },
  );
  return {
    async close() {
      await serving.close();
      await gateway.close();
    },
  };
}
