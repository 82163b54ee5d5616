import { posix, win32 } from "node:path";

/** The interpreter of a virtual or conda environment, by the environment's folder. */
export function interpreterIn(
  folder: string,
  type: "venv" | "uv" | "conda" | "micromamba",
  platform: NodeJS.Platform = process.platform,
): string {
  if (platform !== "win32") return posix.join(folder, "bin", "python");
  const isConda = type === "conda" || type === "micromamba";
  return isConda ? win32.join(folder, "python.exe") : win32.join(folder, "Scripts", "python.exe");
}

/** Where a conda environment of that name may be, given the folders that conda and its kin keep environments in. */
export function condaFolders(
  name: string,
  roots: readonly string[],
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const path = platform === "win32" ? win32 : posix;
  if (path.isAbsolute(name)) return [path.normalize(name)];
  if (!/^[\w][\w.-]*$/.test(name)) return [];
  return roots.flatMap((root) => (name === "base" ? [root] : [path.join(root, "envs", name)]));
}
