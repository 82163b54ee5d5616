// An MCP server that wants OAuth, and its authorization server, on one port: `node oauth-server.mjs [option…]`.
// Prints the MCP address on stdout. Refresh tokens rotate; one that is used twice ends all that came from it.
//
//   expires=N    seconds that an access token lasts (3600)
//   no-refresh   gives no refresh tokens
//   no-register  registers no clients; knows the client "known" with the secret "known-secret"
//   iss          names itself in the answer to an authorization request (RFC 9207)
//   cimd         takes a url as a client id
//   device       offers device codes (RFC 8628); approved by POST /control {"approve": true}
//   no-revoke    offers no revocation
//   port=N       where to listen
//
// POST /control with {"expire": true} ends all access tokens, {"refuse": "invalid_grant" | "slow" | "both" | 503 | null} sets what
// the next refreshes meet ("both": no answer before two requests were refused), {"deny": true} makes the user say no, {"approve": true} approves device codes.
// GET /counts tells what was asked. Tools: echo, admin (wants the scope "admin"), leak (an error that repeats the token).
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const options = process.argv.slice(2);
const has = (option) => options.includes(option);
const number = (name, otherwise) =>
  Number(options.find((one) => one.startsWith(`${name}=`))?.split("=")[1] ?? otherwise);
const slowMs = 700;

const clients = new Map([["known", { client_id: "known", client_secret: "known-secret" }]]);
const codes = new Map();
const devices = new Map();
/** Access token to what it allows; refresh token to the family that it belongs to. */
const access = new Map();
const refreshes = new Map();
const counts = {
  registrations: 0,
  authorizations: 0,
  tokens: 0,
  refreshes: 0,
  reuses: 0,
  revocations: 0,
  calls: 0,
  refused: 0,
};
const control = { refuse: null, deny: false, approve: false };
const last = {};
let origin = "";
let refusedSince = 0;

const secret = (kind) => `${kind}-${randomBytes(18).toString("base64url")}`;
const json = (response, status, body, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

function metadata() {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    ...(!has("no-register") && { registration_endpoint: `${origin}/register` }),
    ...(!has("no-revoke") && { revocation_endpoint: `${origin}/revoke` }),
    ...(has("device") && { device_authorization_endpoint: `${origin}/device` }),
    ...(has("cimd") && { client_id_metadata_document_supported: true }),
    ...(has("iss") && { authorization_response_iss_parameter_supported: true }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
    scopes_supported: ["basic", "admin", "offline_access"],
  };
}

function issue({ scope, client, family = { ended: false } }) {
  const token = secret("access");
  access.set(token, { scope, family });
  const answer = { access_token: token, token_type: "Bearer", expires_in: number("expires", 3600), scope };
  if (has("no-refresh")) return answer;
  const refresh = secret("refresh");
  refreshes.set(refresh, { scope, client, family, isSpent: false });
  return { ...answer, refresh_token: refresh };
}

function clientOf(request, params) {
  const [, basic] = (request.headers.authorization ?? "").split("Basic ");
  const [id, password] = basic ? Buffer.from(basic, "base64").toString().split(":") : [params.get("client_id")];
  if (has("cimd") && id?.startsWith("https://")) return { client_id: id };
  const known = clients.get(id);
  return known && (known.client_secret ?? password) === password ? known : undefined;
}

async function token(request, response) {
  const params = new URLSearchParams(await bodyOf(request));
  counts.tokens++;
  Object.assign(last, { token: Object.fromEntries(params) });
  const client = clientOf(request, params);
  if (!client) return json(response, 401, { error: "invalid_client" });
  const grant = params.get("grant_type");
  if (params.get("resource") !== `${origin}/mcp`) return json(response, 400, { error: "invalid_target" });
  if (grant === "client_credentials") {
    const { refresh_token: _none, ...own } = issue({ scope: params.get("scope") ?? "basic", client });
    return json(response, 200, own);
  }
  if (grant === "authorization_code") {
    const code = codes.get(params.get("code"));
    codes.delete(params.get("code"));
    const challenge = createHash("sha256")
      .update(params.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      code?.challenge !== challenge ||
      code.redirect !== params.get("redirect_uri") ||
      code.client !== client.client_id
    ) {
      return json(response, 400, { error: "invalid_grant" });
    }
    return json(response, 200, issue({ scope: code.scope, client }));
  }
  if (grant === "refresh_token") return refresh(response, params.get("refresh_token"), client);
  if (grant?.endsWith("device_code") && devices.has(params.get("device_code"))) {
    if (!control.approve) return json(response, 400, { error: "authorization_pending" });
    return json(response, 200, issue({ scope: devices.get(params.get("device_code")), client }));
  }
  return json(response, 400, { error: "unsupported_grant_type" });
}

async function refresh(response, token, client) {
  counts.refreshes++;
  if (control.refuse === "slow") await delay(slowMs);
  else if (control.refuse === "both") while (refusedSince < 2) await delay(1);
  else if (typeof control.refuse === "number") return response.writeHead(control.refuse).end("try later");
  else if (control.refuse) return json(response, 400, { error: control.refuse });
  const known = refreshes.get(token);
  if (!known || known.family.ended) return json(response, 400, { error: "invalid_grant" });
  if (known.isSpent) {
    counts.reuses++;
    known.family.ended = true;
    return json(response, 400, { error: "invalid_grant", error_description: "used twice" });
  }
  known.isSpent = true;
  return json(response, 200, issue({ ...known, client }));
}

function authorize(url, response) {
  const { searchParams: asked } = url;
  counts.authorizations++;
  Object.assign(last, { authorize: Object.fromEntries(asked) });
  const back = new URL(asked.get("redirect_uri"));
  const client = clients.get(asked.get("client_id")) ?? (has("cimd") ? { redirect_uris: [back.href] } : undefined);
  if (!client || !(client.redirect_uris?.includes(back.href) ?? true))
    return response.writeHead(400).end("unknown client");
  if (asked.get("code_challenge_method") !== "S256") return response.writeHead(400).end("PKCE is missing");
  back.searchParams.set("state", asked.get("state"));
  if (has("iss")) back.searchParams.set("iss", origin);
  if (control.deny) back.searchParams.set("error", "access_denied");
  else {
    const code = secret("code");
    codes.set(code, {
      challenge: asked.get("code_challenge"),
      redirect: back.origin + back.pathname,
      client: asked.get("client_id"),
      scope: asked.get("scope") ?? "",
    });
    back.searchParams.set("code", code);
  }
  response.writeHead(302, { location: back.href }).end();
}

async function mcp(request, response) {
  const body = await bodyOf(request);
  const [, bearer] = (request.headers.authorization ?? "").split("Bearer ");
  const granted = access.get(bearer);
  const about = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  if (!granted || granted.family.ended) {
    counts.refused++;
    refusedSince++;
    return json(response, 401, {}, { "www-authenticate": `Bearer ${about}, scope="basic"` });
  }
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params = {} } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  if (params.name === "admin" && !granted.scope.includes("admin")) {
    const challenge = `Bearer error="insufficient_scope", scope="admin", ${about}`;
    return json(response, 403, {}, { "www-authenticate": challenge });
  }
  if (params.name === "leak") return response.writeHead(400).end(`cannot use ${bearer}`);
  return json(response, 200, { jsonrpc: "2.0", id, ...answer(method, params) });
}

function answer(method, params) {
  if (method === "initialize") {
    const serverInfo = { name: "oauth-fixture", version: "1.0.0" };
    return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
  if (method !== "tools/call") return { error: { code: -32601, message: "Method not found" } };
  counts.calls++;
  return { result: { content: [{ type: "text", text: JSON.stringify(params.arguments) }] } };
}

async function register(request, response) {
  counts.registrations++;
  const client = { ...JSON.parse(await bodyOf(request)), client_id: secret("client") };
  clients.set(client.client_id, client);
  json(response, 201, client);
}

async function device(request, response) {
  const params = new URLSearchParams(await bodyOf(request));
  const code = secret("device");
  devices.set(code, params.get("scope") ?? "");
  const shown = { user_code: "ABCD-EFGH", verification_uri: `${origin}/activate` };
  json(response, 200, { device_code: code, ...shown, expires_in: 60, interval: 0 });
}

async function revoke(request, response) {
  counts.revocations++;
  const ended = new URLSearchParams(await bodyOf(request)).get("token");
  const known = refreshes.get(ended) ?? access.get(ended);
  if (known) known.family.ended = true;
  response.writeHead(200).end();
}

async function steer(request, response) {
  const { expire, ...rest } = JSON.parse(await bodyOf(request));
  if (expire) access.clear();
  refusedSince = 0;
  Object.assign(control, rest);
  json(response, 200, {});
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

const server = createServer((request, response) => {
  const url = new URL(request.url, origin);
  const about = { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ["basic"] };
  if (url.pathname === "/mcp") return mcp(request, response);
  if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) return json(response, 200, about);
  if (url.pathname === "/.well-known/oauth-authorization-server") return json(response, 200, metadata());
  if (url.pathname === "/register" && !has("no-register")) return register(request, response);
  if (url.pathname === "/authorize") return authorize(url, response);
  if (url.pathname === "/token") return token(request, response);
  if (url.pathname === "/device" && has("device")) return device(request, response);
  if (url.pathname === "/revoke") return revoke(request, response);
  if (url.pathname === "/control") return steer(request, response);
  if (url.pathname === "/counts") return json(response, 200, { ...counts, last });
  return response.writeHead(404).end();
});
server.listen(number("port", 0), "127.0.0.1", () => {
  origin = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`${origin}/mcp\n`);
});
process.stdin.on("end", () => process.exit()).resume();
