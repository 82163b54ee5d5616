// Guests that call tools and give the milliseconds from the first call to the last. One call before that starts the server.

export const sequential = (calls, server = "echo") => ({
  typescript: `
    import { echo } from "mcp_tools/${server}";
    await echo({ message: "first" });
    const started = performance.now();
    for (let call = 0; call < ${calls}; call++) await echo({ message: \`call \${call}\` });
    performance.now() - started;`,
  python: `
import time
from mcp_tools.${server} import echo
echo(message="first")
started = time.perf_counter()
for call in range(${calls}):
    echo(message=f"call {call}")
(time.perf_counter() - started) * 1000`,
});

export const parallel = (calls, waitMs) => ({
  typescript: `
    import { wait } from "mcp_tools/echo";
    await wait({ milliseconds: 0 });
    const started = performance.now();
    await Promise.all(Array.from({ length: ${calls} }, () => wait({ milliseconds: ${waitMs} })));
    performance.now() - started;`,
  python: `
import asyncio, time
from mcp_tools.aio.echo import wait
await wait(milliseconds=0)
started = time.perf_counter()
await asyncio.gather(*(wait(milliseconds=${waitMs}) for _ in range(${calls})))
(time.perf_counter() - started) * 1000`,
});

/** The same by a client that has a server to itself. */
export const bareCalls = {
  async sequential(client, calls) {
    for (let call = 0; call < calls; call++) await client.callTool("echo", { message: `call ${call}` });
  },
  async parallel(client, calls, waitMs) {
    await Promise.all(Array.from({ length: calls }, () => client.callTool("wait", { milliseconds: waitMs })));
  },
};
