import type { GuestError } from "../../sandbox/engine.ts";
import { missingModule } from "../modules/missing-packages.ts";
import type { MissingModule } from "../toolchain.ts";

/** The module whose absence a TypeScript guest failed for, if that was it: one that it named while it ran. */
export function missingScriptModule({ message }: GuestError): MissingModule | undefined {
  const [, module] = /^Cannot find module "([^"]+)": guests import /.exec(message) ?? [];
  return module === undefined ? undefined : missingModule("typescript", module);
}
