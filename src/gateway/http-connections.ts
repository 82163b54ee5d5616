import type { Server } from "node:http";
import type { Socket } from "node:net";

interface Patience {
  /** So many connections may be without the token at a time; one more takes the place of the oldest. */
  readonly most: number;
  /** And for so long. */
  readonly milliseconds: number;
}

/**
 * Whoever connects has to show the token soon: those who have not are few and go first, so that they cannot keep out those
 * who have. Returns what is to be told when a connection has shown it.
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
