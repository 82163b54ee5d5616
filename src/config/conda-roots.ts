import { posix, win32 } from "node:path";
import { type ProcessEnv, userHome } from "./home.ts";

const usual = [
  ...["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda"],
  ...[".local/share/mamba", "/opt/conda", "/opt/miniconda3", "/opt/anaconda3"],
];

/** The folders in which conda, mamba and micromamba keep environments, the user's own settings first. */
export function condaRoots(env: ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string[] {
  const path = platform === "win32" ? win32 : posix;
  const set = [env["MAMBA_ROOT_PREFIX"], env["CONDA_ROOT"]];
  // The program that `conda init` names stands in the root's own folder.
  const program = env["CONDA_EXE"] && path.dirname(path.dirname(env["CONDA_EXE"]));
  const roots = [...set, program].flatMap((folder) => (folder && path.isAbsolute(folder) ? [folder] : []));
  const home = userHome(env, platform);
  return [...new Set([...roots, ...usual.map((folder) => path.resolve(home, folder))])];
}
