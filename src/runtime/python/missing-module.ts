import type { GuestError } from "../../sandbox/engine.ts";
import { missingModule } from "../modules/missing-packages.ts";
import type { MissingModule } from "../toolchain.ts";
import { standardModules } from "./standard-library.ts";

/** What to know of a module of Python itself that cannot be imported. */
export const lackingModule =
  "It is a part of Python that this engine or this version of Python does not have; no package provides it.";

/** The module whose absence a Python guest failed for, if that was it. */
export function missingPythonModule({ name, message }: GuestError): MissingModule | undefined {
  const [, module] = /^No module named '([\w.]+)'$/.exec(message.split("\n")[0] ?? "") ?? [];
  if (name !== "ModuleNotFoundError" || module === undefined) return undefined;
  if (standardModules().has(module)) return { hint: lackingModule };
  // The packages around a dotted name were found, so that it is only missing where several share the outer one.
  if (module.includes(".") && !module.startsWith("google.")) return undefined;
  return missingModule("python", module);
}
