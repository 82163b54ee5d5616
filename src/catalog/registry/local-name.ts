/** A short name for a server of the registry: `io.github.acme/weather-mcp-server` is weather. */
export function localName(registryName: string): string {
  const last = registryName.slice(registryName.lastIndexOf("/") + 1);
  const bare = last
    .replace(/^(?:mcp-server|server|mcp)[-_]/i, "")
    .replace(/[-_](?:mcp-server|server-mcp|mcp|server)$/i, "");
  const name = bare
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "");
  // io.example/mcp says less than the name before it.
  if (name !== "" && name !== "mcp" && name !== "server") return name;
  return registryName.slice(0, registryName.lastIndexOf("/")).split(".").at(-1)?.toLowerCase() || "server";
}
