declare const Deno: {
  readonly permissions: { revokeSync(descriptor: { name: "read"; path: string }): { readonly state: string } };
  readFileSync(path: string): Uint8Array;
};

/** Reads a file and gives up the right to: nothing of the kind is left when a guest comes. */
export function readOnce(path: string): Uint8Array {
  const content = Deno.readFileSync(path);
  if (Deno.permissions.revokeSync({ name: "read", path }).state === "granted")
    throw new Error(`${path} stays readable`);
  return content;
}

/** What the language itself has and the kernel uses. */
const kept = new Set(
  `globalThis undefined NaN Infinity Object Function Array String Number BigInt Boolean Symbol Math Date Map Set
  Reflect JSON Promise Error RangeError TypeError ArrayBuffer SharedArrayBuffer DataView Uint8Array Int32Array
  BigUint64Array Atomics crypto performance TextEncoder TextDecoder`.split(/\s+/),
);

/**
 * Takes everything else away from JavaScript in this process: Deno, the network, workers, timers, WebAssembly, eval.
 * No guest reaches JavaScript; if one did, it would find nothing.
 */
export function lockDown(): void {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
}
