// Ten thousand skills: what a search and a save cost, and whether the coordinator starts as before.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
