// biome-ignore-all lint/plugin: a program of its own, which reads arguments and exits
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

// Runs inside the sandbox of an installer, whose network holds nothing but itself: listens there, passes what comes to
// the host's socket, and starts the command. Arguments: the port, the socket, the folder, the command.

const [port = "", socket = "", folder = "/", program = "", ...args] = process.argv.slice(2);

const server = createServer((inner) => {
  const outer = connect(socket);
  // Either side may end when it likes; nobody here has anything to say about it.
  inner.on("error", () => outer.destroy());
  outer.on("error", () => inner.destroy());
  inner.pipe(outer);
  outer.pipe(inner);
});

server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { cwd: folder, stdio: "inherit" });
  child.once("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.once("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
});
