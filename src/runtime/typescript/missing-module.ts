import { packageForModule } from "../../packages/install-name.ts";
import type { GuestError } from "../../sandbox/engine.ts";
import type { MissingModule } from "../toolchain.ts";

/** The module whose absence a TypeScript guest failed for, if that was it: one that it named while it ran. */
export function missingScriptModule({ message }: GuestError): MissingModule | undefined {
  const [, module] = /^Cannot find module "([^"]+)": guests import /.exec(message) ?? [];
  if (module === undefined) return undefined;
  const { install, instead } = packageForModule("typescript", module);
  if (install !== undefined) return { missing: { module, install } };
  return instead === undefined ? undefined : { hint: `Did you mean "${instead}"?` };
}
