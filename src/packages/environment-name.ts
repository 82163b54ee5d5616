import { CoordinatorError } from "../errors.ts";

const pattern = /^[a-z0-9][a-z0-9_-]{0,39}$/;
/** Windows keeps these names for devices, in any folder. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Throws input_invalid unless the text can name an environment; it is then also a safe name of a folder. */
export function checkEnvironmentName(name: string): string {
  if (pattern.test(name) && !devices.test(name)) return name;
  throw new CoordinatorError("input_invalid", `${JSON.stringify(name.slice(0, 80))} cannot name an environment`, {
    hint: "Use up to 40 small letters, digits, - and _, the first a letter or a digit.",
  });
}
