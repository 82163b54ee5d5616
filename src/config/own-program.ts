import { fileURLToPath } from "node:url";

/** The file of our command: it stands beside whatever part of the bundle this code is in. */
export const ownProgram = fileURLToPath(new URL("./cli.js", import.meta.url));
