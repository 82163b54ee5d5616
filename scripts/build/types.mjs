// Makes dist/types/index.d.ts: what src/index.ts exports and every type that it mentions, in one file that imports nothing.
// Declarations are made from the annotations of one file at a time (isolatedDeclarations), which takes milliseconds where the
// compiler takes seconds. What this does not understand fails the build; test/package.test.ts compiles a program with the rest.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { isolatedDeclarationSync } from "oxc-transform";

/** Builds the types of the library into the folder. */
export function buildTypes(root, folder) {
  const entry = readModule(join(root, "src/index.ts"));
  const found = new Map();
  const names = entry.exported.map(([as, { file, name }]) => {
    follow(readModule(file), name, found);
    if (!found.has(name)) throw new Error(`${file} does not declare ${name}`);
    return as === name ? name : `${name} as ${as}`;
  });
  const texts = [...found.values()].map(({ text }) => text);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.d.ts"), `${texts.join("\n")}\nexport { ${names.join(", ")} };\n`);
}

/** Adds a declaration and those that it mentions. A name that the module neither declares nor imports is the language's. */
function follow(module, name, found) {
  const imported = module.imports.get(name);
  if (imported) {
    if (imported.problem) throw new Error(`A public type mentions ${name}: ${imported.problem} (${module.file})`);
    follow(readModule(imported.file), name, found);
    return;
  }
  const declaration = module.declarations.get(name);
  if (!declaration || found.get(name) === declaration) return;
  if (found.has(name)) throw new Error(`Two public types are called ${name}; one of them is in ${module.file}`);
  if (declaration.problem) throw new Error(`${name} is public, and its type is not written out:${declaration.problem}`);
  found.set(name, declaration);
  for (const mentioned of declaration.mentions) follow(module, mentioned, found);
}

const modules = new Map();

function readModule(file) {
  if (!modules.has(file)) modules.set(file, parseModule(file, readFileSync(file, "utf8")));
  return modules.get(file);
}

/** The declarations of a file by name, where its imports are from, and what it exports of others. */
function parseModule(file, source) {
  const { code, errors } = isolatedDeclarationSync(file, source);
  const module = { file, declarations: new Map(), imports: new Map(), exported: [] };
  let end = 0;
  for (const statement of parseSync("index.d.ts", code).program.body) {
    const text = code.slice(end, statement.end); // with the comment before it
    end = statement.end;
    if (statement.source) readImport(module, statement);
    else for (const name of declaredBy(statement)) declare(module, name, text, statement);
  }
  for (const { codeframe, labels } of errors) {
    const [{ start }] = labels;
    const statement = parseSync(file, source).program.body.find((one) => one.start <= start && start < one.end);
    for (const name of declaredBy(statement)) module.declarations.get(name).problem = codeframe;
  }
  return module;
}

function readImport({ file, imports, exported }, { source: { value: from }, specifiers = [] }) {
  const place = join(dirname(file), from);
  for (const { imported, local, exported: as } of specifiers) {
    if (as) exported.push([as.name, { file: place, name: local.name }]);
    else if (!from.startsWith(".")) imports.set(local.name, { problem: `it is from ${from}` });
    else if (imported?.name !== local.name) imports.set(local.name, { problem: "it is imported by another name" });
    else imports.set(local.name, { file: place });
  }
}

function declare({ file, declarations }, name, text, statement) {
  if (declarations.has(name)) throw new Error(`${file} declares ${name} twice`);
  const own = text.trim().replace(/^export (?=(declare|interface|type) )/m, "");
  declarations.set(name, { text: own.replaceAll(/^(\s*)\*/gm, "$1 *"), mentions: mentionedIn(statement) });
}

function declaredBy(statement) {
  const { id, declarations = [] } = statement.declaration ?? statement;
  return id ? [id.name] : declarations.map((declarator) => declarator.id.name);
}

/** The names that a declaration needs: of types, of values in `typeof`, of what it extends and implements. */
function mentionedIn(node, names = new Set()) {
  if (node === null || typeof node !== "object") return names;
  if (node.type === "TSImportType") throw new Error("A public type imports within itself");
  const heritage = node.type === "TSInterfaceHeritage" || node.type === "TSClassImplements";
  let name = node.typeName ?? node.exprName ?? node.superClass ?? (heritage ? node.expression : undefined);
  while (name?.left) name = name.left;
  if (name?.name) names.add(name.name);
  for (const child of Object.values(node)) mentionedIn(child, names);
  return names;
}
