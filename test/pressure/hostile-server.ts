import { resolve } from "node:path";

/** The server as an entry of a configuration; without a script it has one tool, `echo`, and is quiet. */
export const hostileServer = (script?: string) => ({
  command: process.execPath,
  args: [resolve("test/pressure/hostile-server.mjs"), ...(script === undefined ? [] : [script])],
});
