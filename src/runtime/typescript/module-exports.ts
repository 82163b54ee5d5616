import { blank, type Edit, insert } from "../edits.ts";
import { keptNames } from "./session-edits.ts";
import { nameOf, type ParsedProgram, type Statement } from "./syntax.ts";

/** How a module gives what it exports to its importers. */
export interface ModuleExports {
  /** Stands before everything else: functions are there for modules that import each other. */
  readonly define: string;
  /** Loads what is passed on from other modules; stands behind the imports. */
  readonly passOn: string;
  readonly edits: readonly Edit[];
}

/** Exports become getters of the names in the module, so that importers see them change through the module's object. */
export function moduleExports(source: string, program: ParsedProgram): ModuleExports {
  const getters = new Map<string, string>();
  const kept = keptNames(program);
  const isOnlyType = (local: string) => {
    const meanings = kept.filter(({ name }) => name === local);
    return meanings.length > 0 && meanings.every(({ isType }) => isType);
  };
  const exportedTypes: string[] = [];
  const loads: string[] = [];
  const edits: Edit[] = [];
  const give = (exported: string, local: string) => {
    if (isOnlyType(local)) exportedTypes.push(exported);
    else getters.set(exported, local);
  };
  for (const statement of program.body) {
    if (statement.type === "ExportAllDeclaration") {
      edits.push(blank(source, statement.start, statement.end));
      if (statement.exportKind === "type") continue;
      const variable = `__from${loads.length}`;
      const load = `${variable} = await __import(${JSON.stringify(statement.source.value)});`;
      loads.push(statement.exported ? load : `${load} __exportAll(${variable});`);
      if (statement.exported) getters.set(nameOf(statement.exported), variable);
    }
    if (statement.type === "ExportNamedDeclaration") {
      const { declaration } = statement;
      edits.push(blank(source, statement.start, declaration?.start ?? statement.end));
      for (const { name } of declaration ? keptNames({ body: [declaration] }) : []) give(name, name);
      const from = passedOn(statement, loads.length);
      if (from) loads.push(from.load);
      for (const { exportKind, exported, local } of statement.specifiers) {
        if (exportKind === "type" || statement.exportKind === "type") exportedTypes.push(nameOf(exported));
        else if (from) getters.set(nameOf(exported), `${from.variable}[${JSON.stringify(nameOf(local))}]`);
        else give(nameOf(exported), nameOf(local));
      }
    }
    if (statement.type === "ExportDefaultDeclaration") {
      const { declaration } = statement;
      const name = "id" in declaration && /Declaration$/.test(declaration.type) ? declaration.id?.name : undefined;
      give("default", name ?? "__default");
      edits.push(
        ...(name === undefined ? defaultEdits(source, statement) : [blank(source, statement.start, declaration.start)]),
      );
    }
  }
  const pairs = [...getters].map(([exported, local]) => `[${JSON.stringify(exported)}]: () => ${local}`);
  const variables = loads.map((_load, index) => `__from${index}`).join(", ");
  const names = exportedTypes.length > 0 ? `, ${JSON.stringify(exportedTypes)}` : "";
  return {
    define: `${variables && `let ${variables}; `}__export({ ${pairs.join(", ")} }${names});`,
    passOn: loads.join(" "),
    edits,
  };
}

function passedOn({ source, specifiers, exportKind }: Statement & { type: "ExportNamedDeclaration" }, index: number) {
  if (!source || exportKind === "type") return undefined;
  const variable = `__from${index}`;
  const names = specifiers.filter((one) => one.exportKind !== "type").map(({ local }) => nameOf(local));
  return { variable, load: `${variable} = await __import(${JSON.stringify(source.value)}, ${JSON.stringify(names)});` };
}

/** A default that has no name of its own gets one. */
function defaultEdits(
  source: string,
  { start, end, declaration }: Statement & { type: "ExportDefaultDeclaration" },
): Edit[] {
  const { text } = blank(source, start, declaration.start);
  return [
    { start, end: declaration.start, text: `const __default = ${text}(` },
    insert(declaration.end, `)${source[end - 1] === ";" ? "" : ";"}`),
  ];
}
