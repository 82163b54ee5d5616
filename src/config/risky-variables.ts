/** Variables by which a program can be made to load other code, other programs or another certificate. */
const risky =
  /^(?:PATH|PATHEXT|LD_\w+|DYLD_\w+|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|PYTHON(?:PATH|HOME|STARTUP|INSPECT|EXECUTABLE)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|BASH_ENV|ENV|SHELL|IFS|PROMPT_COMMAND|GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|PROXY_COMMAND|CONFIG\w*)|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|(?:https?|all)_proxy|npm_config_\w+|PIP_\w+|UV_\w+|COMSPEC|SYSTEMROOT)$/i;

/** Those of the names that change which code a server runs or whom it trusts. */
export function riskyVariables(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => risky.test(name));
}
