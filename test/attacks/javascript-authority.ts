import { attempts } from "./javascript-attempt.ts";
import type { Row } from "./row.ts";

const language = "typescript";
const fs = 'const fs: any = await import("node:fs");';

/** 1D: ambient authority: modules, input and output, processes. */
export const authorityRows: readonly Row[] = [
  {
    id: "J076",
    language,
    title: "remote imports that carry data away",
    expect: "ok",
    code: `${attempts}
      for (const address of ["https://deno.land/x/a.ts", "https://jsr.io/@std/fs", "https://esm.sh/x", "https://raw.githubusercontent.com/a/b", "http://127.0.0.1:" + %TCP4% + "/data.js", "http://[::1]:" + %TCP6% + "/data.js",
        "jsr:@std/fs", "npm:left-pad", "data:text/javascript,export default 1", "blob:null/x", "file://" + %FILES%[0], %FILES%[0], "node:fs/../../x"]) {
        await attempt(address, () => import(address));
        await attempt("eval " + address, () => (0, eval)("import(" + JSON.stringify(address) + ")"));
        await attempt("function " + address, () => Function("a", "return import(a)")(address));
      }
      out`,
    timeout: 5,
  },
  {
    id: "J077",
    language,
    title: "Node's own ways to a module: require, bindings, dlopen, the module loader",
    expect: "ok",
    code: `${attempts}
      const p: any = process; const module: any = await import("node:module");
      await attempt("require", () => g.require("fs"));
      await attempt("mainModule", () => loot(p.mainModule));
      for (const name of ["fs", "os", "natives", "spawn_sync", "util"]) await attempt("binding " + name, () => show(Object.keys(p.binding(name))));
      await attempt("dlopen", () => p.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6"));
      await attempt("getBuiltinModule", () => p.getBuiltinModule("fs").readFileSync(%FILES%[0], "utf8"));
      await attempt("createRequire", () => module.createRequire("file:///tmp/x.js")("fs").readFileSync(%FILES%[0], "utf8"));
      await attempt("require a path", () => module.createRequire("file:///tmp/x.js")(%FILES%[0]));
      await attempt("_load", () => module.default._load("fs").readFileSync(%FILES%[0], "utf8"));
      await attempt("_extensions", () => { const m: any = { exports: {}, _compile: (t: string) => { m.text = t } }; module.default._extensions[".js"](m, %FILES%[0]); return m.text });
      await attempt("register", () => module.register("data:text/javascript,"));
      await attempt("vm", async () => { const vm: any = await import("node:vm"); return loot(vm.runInNewContext("this.constructor.constructor('return process')()")) });
      await attempt("repl", async () => { const repl: any = await import("node:repl"); return loot(repl.start?.({ prompt: "" })?.context) });
      out`,
  },
  {
    id: "J079",
    language,
    title: "workers, shared memory, channels between runs",
    expect: ["ok", "E", "T"],
    timeout: 2,
    code: {
      workers: `${attempts}
        await attempt("Worker", () => new g.Worker("data:text/javascript,postMessage(1)", { type: "module" }));
        await attempt("worker_threads", async () => { const { Worker }: any = await import("node:worker_threads"); const w = new Worker("for (;;);", { eval: true }); return new Promise((resolve) => { w.on("message", resolve); w.on("error", (e: any) => resolve(e.message)) }) });
        await attempt("with permissions", async () => { const { Worker }: any = await import("node:worker_threads"); const w = new Worker("data:text/javascript,postMessage(Deno.env.toObject())", { deno: { permissions: "inherit" } } as any); return new Promise((resolve) => { w.on("message", resolve); w.on("error", (e: any) => resolve(e.message)) }) });
        out`,
      "Atomics.wait": `const view = new Int32Array(new SharedArrayBuffer(4)); Atomics.wait(view, 0, 0)`,
      "a channel": [
        {
          code: `const channel = new BroadcastChannel("shared"); channel.postMessage("left"); setInterval(() => channel.postMessage("left"), 5); await new Promise((r) => setTimeout(r, 50)); 1`,
        },
        {
          code: `const channel = new BroadcastChannel("shared"); await new Promise((resolve, reject) => { channel.onmessage = (e) => reject(new Error("got " + e.data)); setTimeout(resolve, 150) }); channel.close(); "nothing"`,
        },
      ],
      "a channel, both at once": `const channel = new BroadcastChannel("shared"); let got = "nothing"; channel.onmessage = (e) => { got = e.data }; channel.postMessage("left"); await new Promise((r) => setTimeout(r, 150)); channel.close(); got`,
    },
  },
  {
    id: "J080",
    language,
    title: "everything that Deno offers with permissions, and its internals",
    expect: "ok",
    code: `${attempts}
      const D: any = g.Deno;
      await attempt("env", () => [D.env.toObject(), D.env.get(%ENV%)]);
      for (const file of %FILES%) { await attempt("read", () => D.readTextFileSync(file)); await attempt("write", () => D.writeTextFileSync(file, "changed")); await attempt("stat", () => D.statSync(file)); }
      for (const file of %WRITES%) { await attempt("write", () => D.writeTextFileSync(file, "x")); await attempt("mkdir", () => D.mkdirSync(file)); await attempt("open", () => D.openSync(file, { create: true, write: true })); }
      await attempt("Command", () => new D.Command("/bin/sh", { args: ["-c", "sleep 60 #" + %PROC%] }).spawn().pid);
      await attempt("run", () => D.run({ cmd: ["sleep", "60", %PROC%] }));
      await attempt("dlopen", () => D.dlopen("libc.so.6", { system: { parameters: ["buffer"], result: "i32" } }));
      await attempt("kill", () => D.kill(%PID%, "SIGKILL"));
      await attempt("connect", async () => { const c = await D.connect({ hostname: "127.0.0.1", port: %TCP4% }); await c.write(new Uint8Array([1])); return "connected" });
      await attempt("listen", () => D.listen({ port: 0 }).addr);
      await attempt("serve", () => D.serve({ port: 0 }, () => new Response("x")).addr);
      await attempt("openKv", () => D.openKv());
      await attempt("request", () => D.permissions.requestSync({ name: "read" }));
      await attempt("query", () => ["read", "write", "net", "env", "run", "ffi", "sys"].map((name) => D.permissions.querySync({ name }).state));
      for (const name of ["hostname", "osRelease", "networkInterfaces", "systemMemoryInfo", "uid", "gid", "loadavg", "osUptime", "execPath", "cwd"]) await attempt(name, () => D[name]());
      await attempt("symlink", () => D.symlinkSync(%FILES%[0], "/tmp/link"));
      await attempt("watch", () => D.watchFs("/"));
      const internal = D[D.internal]; const ops = internal?.core?.ops ?? {};
      out.push(["internals", Object.keys(internal ?? {}).length, Object.keys(ops).length]);
      for (const [name, op] of Object.entries<any>(ops)) {
        if (!/read|open|env|exec|spawn|net|connect|ffi|write|remove|rename|stat|chdir|kill|dlopen|require|permission|cwd|hostname|import|load/i.test(name) || /stdin|void|print|set_raw|read_line_prompt|stream|timer|exit|event_loop|has_tick|poll|break_on_next/i.test(name)) continue;
        for (const given of [[%FILES%[0]], [%WRITES%[0], "x"], [%ENV%], []]) try { const value = op(...given); if (value?.catch) value.catch(() => {}); const text = show(value); if (text.includes("canary-")) out.push([name, text]) } catch {}
      }
      out`,
    timeout: 8,
  },
  {
    id: "J082",
    language,
    title: "what runtimes tell about themselves: Bun, process, os, report",
    expect: "ok",
    code: `${attempts}
      const p: any = process; const os: any = await import("node:os");
      await attempt("Bun", () => g.Bun.env);
      for (const name of ["env", "argv", "argv0", "execPath", "execArgv", "title", "pid", "ppid", "versions", "config", "features"]) await attempt(name, () => p[name]);
      for (const name of ["userInfo", "hostname", "homedir", "tmpdir", "networkInterfaces", "release", "version"]) await attempt(name, () => os[name]());
      await attempt("report", () => [p.report.getReport(), p.report.writeReport(%WRITES%[0])]);
      await attempt("cwd", () => p.cwd());
      await attempt("getuid", () => [p.getuid(), p.getgroups()]);
      await attempt("memory", () => p.memoryUsage().rss > 0);
      out`,
  },
  {
    id: "J083",
    language,
    title: "the network in every form and spelling",
    expect: ["ok", "E"],
    code: {
      listens: `const net: any = await import("node:net"); await new Promise((resolve) => net.createServer().listen(0, resolve).on("error", resolve))`,
      "the metadata service": `const http: any = await import("node:http"); await new Promise((resolve) => http.get("http://169.254.169.254/latest/meta-data/", resolve).on("error", (e: any) => resolve(e.message)))`,
      connects: `${attempts}
      const hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0", "0x7f.1", "2130706433", "127.1", "169.254.169.254", "0.0.0.0"];
      for (const host of hosts) {
        const port = host === "[::1]" ? %TCP6% : %TCP4%;
        for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]) await attempt(name + host, () => { const made = name === "fetch" ? g.fetch("http://" + host + ":" + port) : new g[name]((name === "WebSocket" ? "ws://" : "http://") + host + ":" + port); return made });
        await attempt("beacon", () => g.navigator.sendBeacon("http://" + host + ":" + port));
      }
      const net: any = await import("node:net"), http: any = await import("node:http"), dgram: any = await import("node:dgram"), dns: any = await import("node:dns/promises"), tls: any = await import("node:tls"), http2: any = await import("node:http2");
      const connected = (socket: any) => new Promise((resolve) => { socket.on?.("connect", () => { socket.write?.("x"); resolve("connected") }); socket.on?.("error", (e: any) => resolve(e.code ?? e.message)); setTimeout(() => resolve("late"), 300) });
      for (const to of [{ host: "127.0.0.1", port: %TCP4% }, { host: "::1", port: %TCP6% }, { path: %UDS% }, { path: "\\0" + %ABSTRACT% }, { path: %WATCH% }]) await attempt("net " + JSON.stringify(to), () => connected(net.connect(to)));
      await attempt("http", () => connected(http.get({ host: "127.0.0.1", port: %TCP4% })));
      await attempt("http over a path", () => connected(http.get({ socketPath: %UDS% })));
      await attempt("tls", () => connected(tls.connect({ host: "127.0.0.1", port: %TCP4% })));
      await attempt("http2", () => connected(http2.connect("http://127.0.0.1:" + %TCP4%)));
      await attempt("udp", () => new Promise((resolve) => { const s = dgram.createSocket("udp4"); s.on("error", (e: any) => resolve(e.message)); s.send("x", %UDP%, "127.0.0.1", (e: any) => resolve(e?.message ?? "sent")) }));
      for (const name of ["lookup", "resolve4", "resolveTxt"]) await attempt(name, () => dns[name]("example.org"));
      await attempt("Deno", () => connected(g.Deno.connect({ transport: "unix", path: %UDS% })));
      await attempt("undici", async () => (await import("undici" as string)).request("http://127.0.0.1:" + %TCP4%));
      out`,
    },
    timeout: 8,
  },
  {
    id: "J085",
    language,
    title: "the system's windows: /proc, /dev, /sys",
    expect: "ok",
    code: `${attempts} ${fs}
      for (const path of ["/proc/self/environ", "/proc/self/mem", "/proc/self/maps", "/proc/self/cmdline", "/proc/self/fd", "/proc/self/root", "/proc/self/cwd", "/proc/1/environ", "/proc/1/root" + %FILES%[0], "/proc/1/root/etc/passwd", "/proc/" + %PID% + "/environ", "/proc/" + %PID% + "/root" + %FILES%[0], "/proc/mounts", "/proc/version", "/dev/shm", "/dev/tcp/127.0.0.1/" + %TCP4%, "/dev/mem", "/dev/kmsg", "/sys/class/net", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/root/.ssh", "/guest.js", "/deno", "/tmp", "/"]) {
        await attempt("read " + path, () => fs.readFileSync(path, "utf8"));
        await attempt("list " + path, () => fs.readdirSync(path));
        await attempt("link " + path, () => fs.readlinkSync(path));
        await attempt("deno " + path, () => g.Deno.readTextFileSync(path));
      }
      for (let fd = 0; fd < 10; fd++) await attempt("fd " + fd, () => fs.readFileSync("/proc/self/fd/" + fd, "utf8"));
      out`,
  },
  {
    id: "J086",
    language,
    title: "links and spellings out of the scratch folder",
    expect: "ok",
    code: `${attempts} ${fs}
      for (const target of [%FILES%[0], "/etc/passwd", "..", "/proc/self/cwd"]) {
        await attempt("symlink", () => { fs.symlinkSync(target, "/tmp/link" + out.length); return fs.readFileSync("/tmp/link" + (out.length - 0), "utf8") });
        await attempt("hard link", () => { fs.linkSync(target, "/tmp/hard" + out.length); return fs.readFileSync("/tmp/hard" + out.length, "utf8") });
      }
      for (const path of ["/tmp/.." + %FILES%[0], "/tmp/..%2f.." + %FILES%[0], "/tmp/\\u0000/../" + %FILES%[0], "/proc/self/cwd/../" + %FILES%[0], "file://" + %FILES%[0], "//" + %FILES%[0], "/tmp/./../" + %FILES%[0]]) {
        await attempt(path, () => fs.readFileSync(path, "utf8"));
        await attempt("url " + path, () => fs.readFileSync(new URL("file://" + path), "utf8"));
      }
      await attempt("realpath", () => fs.realpathSync.native(%FILES%[0]));
      await attempt("race", async () => { for (let i = 0; i < 200; i++) { try { fs.writeFileSync("/tmp/r", "x"); fs.unlinkSync("/tmp/r"); fs.symlinkSync(%FILES%[0], "/tmp/r") } catch {} try { const text = fs.readFileSync("/tmp/r", "utf8"); if (text.length > 1) return text } catch {} } return "no" });
      for (const act of ["rmSync", "renameSync", "chmodSync", "truncateSync", "copyFileSync", "cpSync", "utimesSync"]) await attempt(act, () => fs[act](%FILES%[0], %WRITES%[0], 0));
      out`,
  },
  {
    id: "J088",
    language,
    title: "child processes and signals in any form",
    expect: ["ok", "E"],
    code: `${attempts}
      const child: any = await import("node:child_process"), cluster: any = await import("node:cluster"); const p: any = process;
      for (const name of ["execSync", "execFileSync", "spawnSync", "exec", "execFile", "spawn", "fork"]) await attempt(name, () => { const made = child[name](name.includes("File") || name.startsWith("spawn") ? "/bin/sleep" : "sleep 60 #" + %PROC%, ["60", %PROC%]); made?.on?.("error", () => {}); return made?.pid ?? made?.error?.message });
      await attempt("node itself", () => child.execFileSync(p.execPath, ["eval", "1"]));
      await attempt("cluster", () => cluster.default.fork());
      await attempt("Command", () => new g.Deno.Command("sleep", { args: ["60", %PROC%] }).outputSync());
      for (const signal of ["SIGUSR1", "SIGSTOP", "SIGKILL", 0]) { await attempt("kill the gateway " + signal, () => p.kill(%PID%, signal)); await attempt("kill the parent " + signal, () => p.kill(p.ppid, signal)); await attempt("all " + signal, () => p.kill(-1, signal === "SIGKILL" ? 0 : signal)); }
      for (const name of ["setuid", "setgid", "seteuid", "setgroups", "initgroups"]) await attempt(name, () => p[name](0));
      await attempt("debug", () => p._debugProcess(%PID%));
      out`,
    timeout: 5,
  },
  {
    id: "J089",
    language,
    title: "inspector, tracing, wasi, heap snapshots",
    expect: ["ok", "E"],
    code: `${attempts}
      const load = (name: string): Promise<any> => import("node:" + name);
      await attempt("inspector", async () => (await load("inspector")).open(0));
      await attempt("session", async () => { const { Session } = await load("inspector"); const s = new Session(); s.connect(); return new Promise((resolve) => s.post("Runtime.evaluate", { expression: "process.env" }, (e: any, r: any) => resolve(show(e ?? r)))) });
      await attempt("trace", async () => (await load("trace_events")).createTracing({ categories: ["node"] }).enable());
      await attempt("diagnostics", async () => { const d = await load("diagnostics_channel"); d.subscribe("http.client.request.start", (m: any) => out.push(loot(m))); return "subscribed" });
      await attempt("wasi", async () => { const { WASI } = await load("wasi"); return show(new WASI({ version: "preview1", preopens: { "/": "/" } })) });
      await attempt("snapshot", async () => (await load("v8")).writeHeapSnapshot(%WRITES%[0]));
      await attempt("flags", async () => (await load("v8")).setFlagsFromString("--allow-natives-syntax"));
      await attempt("sqlite", async () => { const { DatabaseSync } = await load("sqlite"); const db = new DatabaseSync(%WRITES%[0]); return db.prepare("select 1").all() });
      await attempt("test", async () => (await load("test")).run?.({ files: [%FILES%[0]] }));
      out`,
    timeout: 5,
  },
  {
    id: "J091",
    language,
    title: "descriptors inherited from the parent",
    expect: "ok",
    code: `${attempts} ${fs}
      for (let fd = 3; fd <= 64; fd++) {
        await attempt("fstat " + fd, () => { const s = fs.fstatSync(fd); return "open " + s.mode });
        await attempt("read " + fd, () => { const b = new Uint8Array(64); const n = fs.readSync(fd, b, 0, 64, null); return "read " + n });
        await attempt("write " + fd, () => "wrote " + fs.writeSync(fd, "x"));
      }
      out.filter((entry: any) => !entry[1].startsWith("threw"))`,
    returns: [],
  },
  {
    id: "J092",
    language,
    title: "the terminal of the parent",
    expect: ["ok", "E"],
    code: `${attempts} ${fs}
      for (const path of ["/dev/tty", "/dev/pts/0", "/dev/console", "/dev/ptmx"]) { await attempt(path, () => fs.openSync(path, "r+")); await attempt("write " + path, () => fs.writeFileSync(path, "injected\\n")); }
      const tty: any = await import("node:tty");
      for (let fd = 0; fd < 4; fd++) await attempt("tty " + fd, () => [tty.isatty(fd), new tty.WriteStream(fd).isTTY]);
      await attempt("raw", () => g.Deno.stdin.setRaw(true));
      await attempt("size", () => g.Deno.consoleSize());
      for (const name of ["prompt", "alert", "confirm"]) await attempt(name, () => g[name]("x"));
      out`,
  },
];
