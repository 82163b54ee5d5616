import type { Language } from "../../src/sandbox/engine.ts";
import type { Moved } from "./canaries.ts";
import type { Row } from "./row.ts";

// One attack for each kind of canary that works when the sandbox is taken away: a suite that cannot fail proves nothing.

type Proof = Readonly<Record<Moved["canary"], string>>;

const shell = (script: string) =>
  `new (globalThis as any).Deno.Command("sh", { args: ["-c", ${script}] }).spawn(); await new Promise((resolve) => setTimeout(resolve, 300)); 1`;
const tell = (command: string) =>
  `const net: any = await import("node:net"); await new Promise((resolve) => { const s = net.connect(%WATCH%, () => s.write("${command}")); s.on("data", () => {}).on("close", resolve).on("error", resolve) }); 1`;
const python = (lines: readonly string[]) => lines.join("\n");
const pythonTell = (command: string) =>
  python([
    "import socket",
    "s = socket.socket(socket.AF_UNIX)",
    "s.connect(%WATCH%)",
    `s.send(b"${command}")`,
    "s.recv(100)",
  ]);

const proofs: Record<Language, Proof> = {
  typescript: {
    "C-ENV": "(globalThis as any).Deno.env.get(%ENV%)",
    "C-FILE": 'const fs: any = await import("node:fs"); %FILES%.map((file) => fs.readFileSync(file, "utf8"))',
    "C-WRITE": 'const fs: any = await import("node:fs"); for (const file of %WRITES%) fs.writeFileSync(file, "x")',
    "C-NET": `
      const net: any = await import("node:net"), dgram: any = await import("node:dgram");
      for (const to of [{ host: "127.0.0.1", port: %TCP4% }, { host: "::1", port: %TCP6% }, { path: %UDS% }, { path: "\\0" + %ABSTRACT% }])
        await new Promise((resolve) => { const s = net.connect(to, () => s.end("x", resolve)); s.on("error", resolve) });
      await new Promise((resolve) => { const s = dgram.createSocket("udp4"); s.send("x", %UDP%, "127.0.0.1", () => { s.close(); resolve(1) }) })`,
    "C-TOOL": 'import { call } from "mcp_tools/attack"; await call("forbidden")',
    "C-PROTO": tell("pollute"),
    "C-LIVE": shell('"kill -STOP " + %PID% + "; sleep " + %PAUSE% + "; kill -CONT " + %PID%'),
    "C-NEXT": 'const fs: any = await import("node:fs"); fs.writeFileSync(%NEXT%, "left")',
    "C-PROC": shell('"exec setsid sh -c \'sleep 60; : " + %PROC% + "\'"'),
    "C-MEM": tell("grow"),
  },
  python: {
    "C-ENV": python(["import os", "os.environ[%ENV%]"]),
    "C-FILE": "[open(path).read() for path in %FILES%]",
    "C-WRITE": "for path in %WRITES%:\n    open(path, 'w').write('x')",
    "C-NET": python([
      "import socket",
      "for family, to in ((socket.AF_INET, ('127.0.0.1', %TCP4%)), (socket.AF_INET6, ('::1', %TCP6%)), (socket.AF_UNIX, %UDS%), (socket.AF_UNIX, chr(0) + %ABSTRACT%)):",
      "    s = socket.socket(family)",
      "    s.connect(to)",
      "    s.send(b'x')",
      "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', %UDP%))",
    ]),
    "C-TOOL": python(["from mcp_tools.attack import call", "name = ''.join(['forbid', 'den'])", "call(name)"]),
    "C-PROTO": pythonTell("pollute"),
    "C-LIVE": python([
      "import subprocess, time",
      'subprocess.Popen(["sh", "-c", f"kill -STOP {%PID%}; sleep {%PAUSE%}; kill -CONT {%PID%}"])',
      "time.sleep(0.3)",
    ]),
    "C-NEXT": "open(%NEXT%, 'w').write('left')",
    "C-PROC": python([
      "import subprocess, time",
      'subprocess.Popen(["setsid", "sh", "-c", "sleep 60; : " + %PROC%])',
      "time.sleep(0.3)",
    ]),
    "C-MEM": pythonTell("grow"),
  },
};

/** The attacks of one language, by the canary that each moves. */
export function proofRows(language: Language): readonly Row[] {
  return Object.entries(proofs[language]).map(([canary, code]) => {
    return { id: canary, language, title: `moves ${canary} where nothing stands in its way`, expect: ["N"], code };
  });
}
