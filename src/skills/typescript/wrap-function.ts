import { applyEdits } from "../../runtime/edits.ts";
import { exportEdits, resultEdits } from "../../runtime/typescript/compile.ts";
import { parseScript } from "../../runtime/typescript/syntax.ts";

/** A guest's code as the body of an exported function. Lines keep their indentation: some are inside of texts. */
export function wrapTypeScript(source: string, name: string, doc: string): string {
  const parsed = parseScript(source);
  const { staticImports } = parsed.module;
  const imports = staticImports.map(({ start, end }) => source.slice(start, end));
  const gone = staticImports.map(({ start, end }) => ({ start, end, text: "" }));
  const body = applyEdits(source, [...gone, ...exportEdits(source, parsed), ...resultEdits(parsed)]).trim();
  const head = imports.length > 0 ? `${imports.join("\n")}\n\n` : "";
  return `${head}/** ${doc} */\nexport async function ${name}() {\n${body}\n}\n`;
}
