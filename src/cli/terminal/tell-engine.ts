import type { Coordinator } from "../../app/coordinator.ts";
import { servicesOf } from "../../app/services-of.ts";
import { talk } from "./print.ts";

/** Says so when the preferred engine of a language cannot run here and another one takes its place. */
export async function tellEngine(coordinator: Coordinator, language: "typescript" | "python"): Promise<void> {
  const { engines } = servicesOf(coordinator);
  const chosen = await engines.choose(language).catch(() => undefined); // a run will tell
  if (chosen?.instead !== undefined) talk(`${language} runs on ${chosen.engine.name}: ${chosen.instead}`);
}
