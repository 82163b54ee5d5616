import type { Language } from "../../sandbox/engine.ts";
import { listed, type Problem } from "../checks/problem.ts";
import type { Libraries } from "../libraries/libraries.ts";

const importing: Readonly<Record<Language, (name: string, module: string) => string>> = {
  typescript: (name, module) => `import { ${name} } from "mcp_tools/${module}"`,
  python: (name, module) => `from mcp_tools.${module} import ${name}`,
};

/** Says of names that nothing defines which tools have them: their import was forgotten. */
export async function nameTools(
  problems: readonly Problem[],
  { language, servers }: { readonly language: Language; readonly servers?: ReadonlySet<string> | undefined },
  libraries: Pick<Libraries, "toolNames" | "modules">,
): Promise<readonly Problem[]> {
  if (!problems.some(({ unknownName }) => unknownName !== undefined)) return problems;
  const known = (await libraries.toolNames()).filter(({ server }) => servers?.has(server) ?? true);
  return problems.map((problem) => {
    const { unknownName: name, message } = problem;
    if (name === undefined) return problem;
    const modules = known
      .filter(({ names }) => names.includes(name))
      .flatMap(({ server }) => libraries.modules.find((one) => one.name === server)?.module ?? []);
    if (modules.length === 0) return problem;
    const statements = modules.map((module) => `'${importing[language](name, module)}'`);
    return { ...problem, message: `${message.replace(/ Did you mean .*$/s, "")} Is ${listed(statements, 3)} missing?` };
  });
}
