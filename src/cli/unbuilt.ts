/** Words that the product has and this version does not: refused as such, not as unknown. Whoever builds one deletes it. */
export const unbuilt: {
  readonly commands: ReadonlySet<string>;
  readonly options: ReadonlySet<string>;
} = {
  commands: new Set(["ui", "replay"]),
  options: new Set(),
};
