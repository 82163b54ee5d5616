import { readdir } from "node:fs/promises";

/** The modules that a folder of Python packages holds, by their names. */
export async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const [name = "", ending] = [entry.name.split(".")[0], entry.name.split(".").at(-1)];
    const isModule = entry.isFile() ? ending === "py" || ending === "so" : !entry.name.includes(".");
    return isModule && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && name !== "__pycache__" ? [name] : [];
  });
}
