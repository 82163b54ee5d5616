import { CoordinatorError } from "../../errors.ts";

// Names become paths: only what is a plain file name on every system, below a folder of the run.

const part = "[A-Za-z0-9][A-Za-z0-9._-]{0,127}";
const most = 4;
const namePattern = new RegExp(`^${part}(?:/${part}){0,${most - 1}}$`);
const addressPattern = new RegExp(`^artifact://(${part})/(.+)$`);
/** Windows reads these as devices, whatever their ending. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

export function artifactAddress(run: string, name: string): string {
  return `artifact://${run}/${name}`;
}

/** The parts of an address; undefined for anything else. */
export function parseAddress(address: string): { readonly run: string; readonly name: string } | undefined {
  const [, run, name] = addressPattern.exec(address) ?? [];
  return run !== undefined && name !== undefined && isLegal(run) && isLegal(name) ? { run, name } : undefined;
}

/** The name itself; throws input_invalid for one that cannot be a file. */
export function artifactName(name: string): string {
  if (isLegal(name)) return name;
  throw new CoordinatorError("input_invalid", `${JSON.stringify(name).slice(0, 200)} is not a name for an artifact`, {
    hint: `A name has letters, digits and "._-", at most ${most} parts with "/" between them, and each begins with a letter or digit: charts/sales.png.`,
  });
}

/** On Windows a dot at the end is dropped: the name would be another one's. */
function isLegal(name: string): boolean {
  return namePattern.test(name) && name.split("/").every((each) => !device.test(each) && !each.endsWith("."));
}
