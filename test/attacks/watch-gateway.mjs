// Loaded into the gateway by the attack suite (NODE_OPTIONS=--import): tells on a Unix socket what the prototypes look
// like, and collects garbage when asked and tells how many megabytes are left. With ATTACKS_WEAK it also obeys whoever connects, to prove that canaries fire.
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const { ATTACKS_WATCH: path, ATTACKS_WEAK: weak } = process.env;
const watched = {
  Object,
  Array,
  Function,
  Promise,
  String,
  Number,
  Map,
  Set,
  RegExp,
  Error,
  JSON,
  Reflect,
  Symbol,
  Buffer,
};

function describe(value) {
  return Reflect.ownKeys(value).map((key) => {
    const { value: member, get, set, ...flags } = Reflect.getOwnPropertyDescriptor(value, key);
    const shown = typeof member === "function" ? Function.prototype.toString.call(member) : String(typeof member);
    return [String(key), shown, String(get), String(set), flags];
  });
}

function prototypes() {
  const all = Object.entries(watched).map(([name, value]) => [name, describe(value), describe(value.prototype ?? {})]);
  delete Array.prototype.polluted; // so that it counts against one attack only
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}

const kept = [];
const commands = {
  prototypes,
  collect() {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    const { heapUsed, external } = process.memoryUsage();
    return String((heapUsed + external) / 1024 / 1024);
  },
  ...(weak && {
    pollute() {
      Object.defineProperty(Array.prototype, "polluted", { value: true, configurable: true });
      return "done";
    },
    grow() {
      kept.push(Buffer.alloc(128 * 1024 * 1024, 1));
      return "done";
    },
  }),
};

if (path && process.argv[1]?.endsWith("cli.js") && process.argv.includes("serve")) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => socket.end(commands[data.toString().trim()]?.() ?? "unknown"));
  });
  server.listen(path).unref();
}
