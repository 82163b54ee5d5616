import { merged, quotedHole } from "./merge-fields.ts";
import { type ServerField, sent } from "./server-fields.ts";

/** What hostile-server.mjs reads (see there): one input in all of these fields, each in an item of its own. */
export function scriptOf(json: string, fields: readonly ServerField[]): object {
  const fitting = fields.filter(({ isName }) => !isName || json.startsWith('"'));
  const whole = Object.entries(wholeAnswers).flatMap(([type, method]) => {
    const parts = fitting.filter((field) => field.type === type);
    return parts.length > 0 ? [[method, JSON.stringify(merged(parts))]] : [];
  });
  const script = {
    json,
    whole: Object.fromEntries(whole) as Record<string, string>,
    lists: Object.fromEntries(Object.values(sent.lists).map((method) => [method, [] as string[]])),
    results: Object.fromEntries(Object.values(sent.results).map((method) => [method, {} as Record<string, string>])),
    errors: { "tools/call": {} as Record<string, string> },
    sent: {} as Record<string, string[]>,
  };
  const list = (method: string, text: string) => script.lists[method]?.push(text);
  const tool = (name: string, inputSchema = '{"type":"object"}') =>
    list("tools/list", `{"name":"${name}","description":"${name}","inputSchema":${inputSchema}}`);
  const answer = (method: string, name: string, text: string) => {
    const results = script.results[method];
    if (results) results[name] = text;
  };
  const uses: Record<string, (name: string, text: string) => void> = {
    CallToolResult(name, text) {
      tool(name);
      answer("tools/call", name, text);
    },
    GetPromptResult(name, text) {
      list("prompts/list", `{"name":"${name}"}`);
      answer("prompts/get", name, text);
    },
    ReadResourceResult(name, text) {
      list("resources/list", `{"name":"${name}","uri":"res://${name}"}`);
      answer("resources/read", `res://${name}`, text);
    },
    schema: tool,
    error(name, text) {
      tool(name);
      script.errors["tools/call"][name] = JSON.stringify((JSON.parse(text) as { error: unknown }).error);
    },
    ServerNotification(name, text) {
      tool(name);
      script.sent[name] = [`{"jsonrpc":"2.0",${text.slice(1)}`];
    },
    ServerRequest(name, text) {
      tool(name);
      script.sent[name] = [`{"jsonrpc":"2.0","id":"${name}",${text.slice(1)}`];
    },
  };
  for (const [type, method] of Object.entries(sent.lists)) uses[type] = (_name, text) => list(method, text);
  for (const [index, { type, fill }] of fitting.entries()) uses[type]?.(`hostile_${index}`, fill(quotedHole));
  return script;
}

const wholeAnswers: Readonly<Record<string, string>> = { ...sent.handshake, ...sent.pages };
