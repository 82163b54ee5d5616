import { expect, test } from "vitest";
import type { PinMode } from "../../policy/pins/pin.ts";
import type { Preset } from "../../policy/rule.ts";
import { pinModeOf } from "./pin-mode.ts";

type Layers = Partial<Record<"managed" | "user" | "project", Preset>>;
const layersOf = (presets: Layers) =>
  (["managed", "user", "project"] as const).map((origin) => ({ origin, preset: presets[origin] }));

test.each<[PinMode | undefined, "user" | "project", Layers, PinMode]>([
  [undefined, "user", {}, "note"],
  [undefined, "user", { user: "open" }, "note"],
  [undefined, "user", { user: "careful" }, "review"],
  [undefined, "user", { user: "locked" }, "strict"],
  [undefined, "project", { user: "careful", project: "open" }, "review"],
  [undefined, "project", { project: "locked" }, "strict"],
  // The user's own word goes before the user's preset, and not before an administrator's.
  ["note", "user", { user: "locked" }, "note"],
  ["note", "user", { managed: "careful", user: "open" }, "review"],
  ["strict", "user", { managed: "careful" }, "strict"],
  // A project's only makes it stricter.
  ["note", "project", { user: "careful" }, "review"],
  ["review", "project", {}, "review"],
  ["review", "project", { user: "locked" }, "strict"],
])("%s in a %s's file, with %j: %s", (mode, origin, presets, expected) => {
  expect(pinModeOf(mode && { mode, ignore: {} }, origin, layersOf(presets))).toBe(expected);
});
