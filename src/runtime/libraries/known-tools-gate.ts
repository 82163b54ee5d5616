import type { Gate } from "../../door/gate.ts";
import { findTool, type Libraries } from "./libraries.ts";

/** A tool that is called by its name must be one that its server lists; the refusal names the nearest. */
export function createKnownToolsGate(known: () => Pick<Libraries, "peek" | "get">): Gate {
  return {
    name: "known tools",
    judge({ kind, server, name, request }, actor) {
      if (kind !== "tool" || request) return undefined;
      const libraries = known();
      const listed = libraries.peek(server);
      if (!listed) return libraries.get(server, actor).then((fresh) => void findTool(fresh, name));
      findTool(listed, name);
      return undefined;
    },
  };
}
