const needsQuotes = /[\s"]/;
const special = /[()\][%!^"`<>&|;, *?]/g;

/**
 * Untested: no Windows at hand. How Windows starts a batch file (npx is one): Node refuses to without a shell, so
 * cmd.exe gets one line in which every special character of every argument is escaped for both parsers it passes.
 */
export function batchCommand(file: string, args: readonly string[]): { command: string; args: string[] } {
  const line = [file.replace(special, "^$&"), ...args.map(escapeArgument)].join(" ");
  return { command: "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`] };
}

function escapeArgument(argument: string): string {
  // For the C runtime: backslashes before a quote are doubled, quotes escaped, the whole quoted.
  const quoted =
    argument === "" || needsQuotes.test(argument)
      ? `"${argument.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, "$1$1")}"`
      : argument;
  // For cmd.exe, twice: a batch file hands its arguments on as %*, which is parsed once more.
  return quoted.replace(special, "^$&").replace(special, "^$&");
}
