import type { PinSettings } from "../../config/schema.ts";
import { type PinMode, strictestMode } from "../../policy/pins/pin.ts";
import type { Layer, Preset } from "../../policy/rule.ts";

const usual: Readonly<Record<Preset, PinMode>> = { open: "note", careful: "review", locked: "strict" };

/** How strictly a server's definitions are held. A project's entry can only make it stricter; a user's not less strict than an administrator's preset. */
export function pinModeOf(
  settings: PinSettings | undefined,
  origin: "user" | "project",
  layers: readonly Pick<Layer, "origin" | "preset">[],
): PinMode {
  const ofLayers = (which: readonly Pick<Layer, "preset">[]) =>
    strictestMode(which.map(({ preset = "open" }) => usual[preset]));
  const wanted = settings?.mode;
  if (wanted === undefined) return ofLayers(layers);
  const floor = origin === "project" ? layers : layers.filter((layer) => layer.origin === "managed");
  return strictestMode([wanted, ofLayers(floor)]);
}
