import type { Coordinator } from "../operations/coordinator.ts";
import { talk } from "./print.ts";

/** Says so when the preferred engine of a language cannot run here and another one takes its place. */
export async function tellEngine({ services }: Coordinator, language: "typescript" | "python"): Promise<void> {
  const chosen = await services.engines.choose(language).catch(() => undefined); // a run will tell
  if (chosen?.instead !== undefined) talk(`${language} runs on ${chosen.engine.name}: ${chosen.instead}`);
}
