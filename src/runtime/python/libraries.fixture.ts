import type { Library, Tool } from "../../catalog/tool.ts";

const tool = (name: string, properties: object, required: string[], outputSchema?: Tool["outputSchema"]): Tool => ({
  name,
  identifier: name.replace("-", "_"),
  description: "",
  inputSchema: { type: "object", properties, required },
  ...(outputSchema !== undefined && { outputSchema }),
});
const text = { type: "string" };
const texts = { type: "array", items: text };
const record = (properties: object, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

export const arxiv: Library = {
  server: "arxiv",
  module: "arxiv",
  description: "",
  tools: [
    tool(
      "search_papers",
      {
        query: text,
        max_results: { type: "integer" },
        sort: { type: "string", enum: ["date", "relevance"] },
        tags: texts,
        filters: record({ year: { type: "integer" } }, ["year"]),
      },
      ["query"],
      {
        type: "array",
        items: record(
          {
            title: text,
            year: { type: "integer" },
            doi: text,
            authors: { type: "array", items: record({ name: text }, ["name"]) },
          },
          ["title", "year"],
        ),
      },
    ),
    tool("read_paper", { id: text }, ["id"]),
    tool("stats", {}, [], record({ total: { type: "integer" }, names: texts }, ["total", "names"])),
  ],
};
const chroma: Library = {
  server: "chroma",
  module: "chroma",
  description: "",
  tools: [
    tool(
      "add_documents",
      {
        collection: text,
        documents: {
          type: "array",
          items: { type: "object", properties: { id: text, text }, required: ["id", "text"] },
        },
        weights: { type: "array", items: { type: "number" } },
      },
      ["collection", "documents"],
    ),
    tool("count-all", { limit: { type: "number" } }, []),
  ],
};
const jira: Library = { server: "jira", module: "jira", description: "", tools: [] };
export const libraries = [arxiv, chroma, jira];

export const coordinatorStubs =
  "class artifacts:\n    @staticmethod\n    def read(*, uri: str, offset: int = ...) -> str: ...\n";
