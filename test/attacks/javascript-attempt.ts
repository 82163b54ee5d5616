/**
 * Begins the code of a row that tries many things: `attempt(name, act)` notes what each gave, `loot(value)` asks what it
 * may have got hold of for the secrets. Such a row ends with `out`.
 */
export const attempts = `
const g: any = globalThis;
const out: unknown[] = [];
const show = (value: any): string => {
  try { return (typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, 600) } catch { return "no text" }
};
const attempt = async (name: string, act: () => any) => {
  try { out.push([name, show(await act())]) } catch (e: any) { out.push([name, "threw " + show(e?.message ?? e)]) }
};
const loot = (found: any): string => {
  const got: unknown[] = [];
  for (const look of [
    () => found.env[%ENV%], () => found.process.env[%ENV%], () => found.Deno.env.get(%ENV%), () => JSON.stringify(found.env),
    () => found.mainModule.require("fs").readFileSync(%FILES%[0], "utf8"), () => found.require("fs").readFileSync(%FILES%[0], "utf8"),
    () => found.getBuiltinModule("fs").readFileSync(%FILES%[0], "utf8"), () => found.readFileSync(%FILES%[0], "utf8"),
    () => found.Deno.readTextFileSync(%FILES%[0]), () => found.getBuiltinModule("fs").writeFileSync(%WRITES%[0], "x"),
  ]) try { got.push(look()) } catch {}
  return show(got);
};
`;
