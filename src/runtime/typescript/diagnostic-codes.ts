/** The compiler's numbers for what can go wrong in a guest, by what they mean for it. */

export const readOnlyProperty = 2540;
export const cannotFindName: ReadonlySet<number> = new Set([
  ...[2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004],
]);
export const cannotFindModule: ReadonlySet<number> = new Set([2307, 2792, 2882]);
export const noSuchExport: ReadonlySet<number> = new Set([2305, 2614, 2724, 1192, 2613]);
export const alwaysWrong: ReadonlySet<number> = new Set([
  ...cannotFindName,
  ...cannotFindModule,
  ...noSuchExport,
  ...[2349, 2351, 2348], // not callable, not constructable
  ...[2588, readOnlyProperty, 2632], // assignment to a constant, a property that cannot be set, an import
  ...[2300, 2440, 2448, 2449, 2451], // declared twice, used before its declaration
  2693, // a type used as a value
  ...[2488, 2504], // not iterable: often a forgotten await
  1308, // await outside an async function
]);
export const missingMember: ReadonlySet<number> = new Set([2339, 2551, 2550, 2576]);
export const wrongArgument: ReadonlySet<number> = new Set([
  ...[2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769, 2820, 2375, 2379],
]);
