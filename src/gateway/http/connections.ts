import type { Server } from "node:http";
import type { Socket } from "node:net";

interface Patience {
  /** How many connections may be without the token at a time; one more takes the place of the oldest. */
  readonly most: number;
  /** For how long one may be. */
  readonly milliseconds: number;
}

/**
 * Connections have to show the token soon. Those that have not are limited in number and closed first, so that they cannot
 * keep out those that have. Returns what to call when a connection has shown it.
 */
export function watchConnections(http: Server, { most, milliseconds }: Patience): (socket: Socket) => void {
  const strangers = new Map<Socket, NodeJS.Timeout>();
  const forget = (socket: Socket): void => {
    clearTimeout(strangers.get(socket));
    strangers.delete(socket);
  };
  http.on("connection", (socket: Socket) => {
    const [oldest] = strangers.keys();
    if (strangers.size >= most) oldest?.destroy();
    strangers.set(socket, setTimeout(() => socket.destroy(), milliseconds).unref());
    socket.once("close", () => forget(socket));
  });
  return forget;
}
