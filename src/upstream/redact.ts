import type { ServerConfig } from "../config/server.ts";

const shortest = 6;

/** Takes the server's secrets (values of its environment, headers and url, and its tokens) out of a text. */
export type Redact = (text: string) => string;

/** `tokens` are those of the user who has signed in; they change. */
export function createRedact(server: ServerConfig, tokens: () => readonly string[] = () => []): Redact {
  const configured = secretsOf(server);
  return (text) =>
    [...configured, ...tokens()]
      .filter((secret) => secret.length >= shortest)
      // The longest first: one may be a part of another.
      .sort((left, right) => right.length - left.length)
      .reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

function secretsOf(server: ServerConfig): string[] {
  // A key of many lines may be printed line by line, and a token without the scheme before it.
  if (server.transport === "stdio")
    return Object.values(server.env).flatMap((value) => [value, ...value.split(/\r?\n/)]);
  const secrets = Object.values(server.headers).flatMap((value) => [value, ...value.split(" ")]);
  if (server.auth?.clientSecret !== undefined) secrets.push(server.auth.clientSecret);
  if (!URL.canParse(server.url)) return secrets;
  const url = new URL(server.url);
  return [...secrets, url.password, ...url.searchParams.values()];
}
