/** Why the module `coordinator` lacks a name that it has where the user has switched it on. */
export function whySwitchedOff(name: string): string | undefined {
  if (name !== "registry") return undefined;
  return '"coordinator" has "registry" only with the toolset of that name (coordinator.toolsets, or serve --toolsets), which is off.';
}
