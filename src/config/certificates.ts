import type { ProcessEnv } from "./home.ts";

const names = ["SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/** The files of certificate authorities that the user's programs trust, by the variable that names them. */
export function certificateFiles(env: ProcessEnv = process.env): ReadonlyMap<string, string> {
  return new Map(names.flatMap((name) => (env[name]?.startsWith("/") ? [[name, env[name]] as const] : [])));
}
