import { moduleReserved } from "../../catalog/names.ts";
import { importableTools } from "../../codegen/importable.ts";
import { packageForModule } from "../../packages/install-name.ts";
import { nearest } from "../../system/nearest.ts";
import { didYouMean, listed } from "../checks/problem.ts";
import { notInstalled } from "../modules/missing-packages.ts";
import { whySwitchedOff } from "../switched-off.ts";
import { type GuestSource, isCaught, textOf } from "./guest-source.ts";
import { importedNames } from "./import-statement.ts";
import { lackingModule } from "./missing-module.ts";
import type { PyrightFinding } from "./pyright-finding.ts";
import { mentions, namesIn, standardModules } from "./standard-library.ts";
import { nodesAround, nodesOf } from "./syntax-tree.ts";

const ours = /^(mcp_tools|coordinator|skills)(\.|$)/;

/** Servers that are not there. Told by the libraries of this check: pyright's folder may hold those of others, too. */
export function serverProblems(guest: GuestSource): PyrightFinding[] {
  const modules = guest.libraries.map(({ module }) => module);
  return nodesOf(guest.tree, "ImportStatement").flatMap((statement) =>
    importedNames(guest.source, statement).flatMap(({ module, member, from }) => {
      const path = member === undefined || member === "*" ? module : `${module}.${member}`;
      const [, aio = "", name] = /^mcp_tools\.(aio\.)?(\w+)/.exec(path) ?? [];
      if (name === undefined || moduleReserved.has(name) || modules.includes(name)) return [];
      if (isCaught(guest, from, /\b(ImportError|ModuleNotFoundError)\b/)) return [];
      const why = guest.context.absent?.get(name);
      if (why !== undefined) return [{ from, to: from, rule: "server", message: why }];
      const close = nearest(
        name,
        [...modules, ...moduleReserved].filter((known) => !/^(index|_)/.test(known)),
      );
      const wanted = `mcp_tools.${aio}${close}`;
      const missing = `Cannot find "mcp_tools.${aio}${name}".`;
      const message = close
        ? `${missing} Did you mean "${moduleReserved.has(close) ? `from mcp_tools import ${close}` : wanted}"?`
        : `${missing} No configured server has that name; search_tools lists them.`;
      return [{ from, to: from, rule: "server", message }];
    }),
  );
}

/** The modules that cannot be imported, unless they can, or the code is prepared for that. */
export function moduleProblems(guest: GuestSource, findings: readonly PyrightFinding[]): PyrightFinding[] {
  return findings
    .filter(({ rule }) => rule === "reportMissingImports" || rule === "reportMissingModuleSource")
    .flatMap((finding) => {
      const explained = explainMissingModule(guest, finding);
      return explained ? [{ ...finding, ...explained }] : [];
    });
}

function explainMissingModule(
  guest: GuestSource,
  finding: PyrightFinding,
): Pick<PyrightFinding, "message" | "missing" | "meant"> | undefined {
  const [, module = ""] = /^Import "([^"]*)"/.exec(finding.message) ?? [];
  const [first = ""] = module.split(".");
  const { modules = new Set<string>() } = guest.context;
  if (ours.test(module) && !module.startsWith("skills")) return undefined;
  if (
    modules.has(first) ||
    /(^|\w\.)_/.test(module) ||
    isExpected(guest, finding.from) ||
    makesModules.test(guest.source)
  )
    return undefined;
  // Of a module's relative imports was told when they were looked for.
  if (module.startsWith(".") && guest.context.isModule) return undefined;
  if (module.startsWith("."))
    return { message: "A guest is one file: there is no package that a relative import could refer to." };
  const missing = `Cannot find module "${module}".`;
  const library = guest.libraries.find((one) => one.module === first);
  if (library) return { message: `${missing} Did you mean "mcp_tools.${library.module}"?` };
  if (standardModules().has(module)) return { message: `${missing} ${lackingModule}` };
  const known = [...standardModules()].filter((name) => !name.startsWith("_"));
  const there = ["mcp_tools", "coordinator", ...modules, ...known, ...linkedNames(guest)];
  const { install, instead } = packageForModule("python", module, there);
  if (instead) {
    const meant = there.includes(instead) ? undefined : packageForModule("python", instead).install;
    if (meant === undefined) return { message: `${missing} Did you mean "${instead}"?` };
    const message = `${missing} Did you mean "${instead}"? That is not installed either.`;
    return { message, meant: { module: instead, install: meant } };
  }
  if (install === undefined || standardModules().has(first)) {
    const rest =
      "Guests import the standard library, installed packages, mcp_tools, mcp_tools.<server> and coordinator.";
    return { message: `${missing} ${rest}` };
  }
  return { message: notInstalled(module, install), missing: { module, install } };
}

/** Code that reaches here may bring modules of its own. */
const makesModules = /\bsys\.(path|modules|meta_path)\b/;

/** Whether a failing import is provided for: a handler, a check for types only, a look whether the module is there. */
function isExpected(guest: GuestSource, offset: number): boolean {
  if (isCaught(guest, offset, /\b(ImportError|ModuleNotFoundError|Exception|BaseException|bare)\b/)) return true;
  return nodesAround(guest.tree, offset).some(
    (node) => node.name === "IfStatement" && /TYPE_CHECKING|find_spec/.test(textOf(guest, node)),
  );
}

/** A name that a module does not have, in `from module import name`. */
export function explainMissingMember(guest: GuestSource, finding: PyrightFinding): string | undefined {
  const [, name] = /^"(.*)" is unknown import symbol/.exec(finding.message) ?? [];
  const statement = nodesAround(guest.tree, finding.from).find((node) => node.name === "ImportStatement");
  if (name === undefined || !statement || isExpected(guest, finding.from)) return undefined;
  const [imported] = importedNames(guest.source, statement);
  return imported && explainNoMember(guest, imported.module, name);
}

/** The same for any way to reach into a module. Of servers that are not there, serverProblems tells. */
export function explainNoMember(guest: GuestSource, module: string, name: string): string | undefined {
  if (/^mcp_tools(\.aio)?$/.test(module)) return undefined;
  const library = guest.libraries.find(
    (one) => module === `mcp_tools.${one.module}` || module === `mcp_tools.aio.${one.module}`,
  );
  if (library) {
    const names = importableTools(library).map(({ identifier }) => identifier);
    const has = ` It has: ${listed(names) || "none"}.`;
    return `"${module}" has no tool "${name}".${didYouMean(name, [...names, "call", "list_tools"], has)}`;
  }
  const linked = linkedModule(guest, module);
  if (linked) {
    const names = linked.compiled.declared.map((declared) => declared.name);
    // Code that defines names in other ways may have it.
    if (/\b(__getattr__|globals|exec|setattr)\b|import \*/.test(linked.code) || names.includes(name)) return undefined;
    return `"${module}" has no "${name}".${didYouMean(name, names, ` It has: ${listed(names) || "nothing"}.`)}`;
  }
  const [first = ""] = module.split(".");
  if (first !== "coordinator" && (!standardModules().has(first) || isUntold(guest, module, name))) return undefined;
  const off = first === "coordinator" ? whySwitchedOff(name) : undefined;
  if (off) return off;
  return `Module "${module}" has no "${name}".${didYouMean(name, first === "coordinator" ? guest.ownNames : namesIn(module))}`;
}

/** The names of modules that there are, as Python writes them. */
function linkedNames({ context: { linked } }: GuestSource): string[] {
  return (linked?.names ?? []).map((name) => name.replaceAll("/", "."));
}

function linkedModule({ context: { linked } }: GuestSource, name: string) {
  const all = [...(linked?.links ?? []), ...(linked?.modules ?? []).flatMap(({ links }) => links)];
  const id = all.find(([known]) => known === name)?.[1];
  return linked?.modules.find((module) => module.id === id);
}

/** What stubs do not tell though it may be there: private names, modules that a module has imported, other systems' parts. */
function isUntold({ source }: GuestSource, module: string, name: string): boolean {
  if (name.startsWith("_") || standardModules().has(name) || /^(msvcrt|winreg|winsound|nt|tty)$/.test(module))
    return true;
  return /\b(platform\.\w+\(|sys\.platform|os\.name)/.test(source) && mentions(module, name);
}
