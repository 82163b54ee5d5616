// How the start loads its code. esbuild makes a chunk for every set of entries that share files, so that a start with
// seventy parts loaded later would read seventy small files, each of which takes Node as long as a large one.

/** What is loaded later imports this entry too: it is there by then, and all of its files share one chunk. */
export function loadTogether(entry, isLoadedBefore) {
  return {
    name: "load-together",
    setup({ onLoad, onResolve, resolve }) {
      onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === "resolved") return undefined;
        const found = await resolve(path, { kind, importer, resolveDir, pluginData: "resolved" });
        if (found.path === entry || isLoadedBefore(found.path)) return found;
        return { path: found.path, namespace: "later" };
      });
      onLoad({ filter: /./, namespace: "later" }, ({ path }) => ({
        contents: [
          `import ${JSON.stringify(entry)};`,
          `export * from ${JSON.stringify(path)};`,
          path.endsWith(".json") ? `export { default } from ${JSON.stringify(path)};` : "",
        ].join("\n"),
        resolveDir: "/",
      }));
    },
  };
}
