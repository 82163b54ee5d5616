/** The server wants the user to sign in, and nothing that we have helps. */
export class SignInNeededError extends Error {
  override readonly name = "SignInNeededError";
  /** Whether the server was asked and refused; otherwise nothing was sent. */
  readonly refused: boolean;

  constructor(message: string, options: { refused: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.refused = options.refused;
  }
}

/** A token could not be made now; later it may. Nothing was sent to the server itself. */
export class TokenUnavailableError extends Error {
  override readonly name = "TokenUnavailableError";
}

/** The command that signs in, as the user types it. */
export function signInCommand(server: string): string {
  return `mcp-coordinator auth ${/^[\w.-]+$/.test(server) && !server.startsWith("-") ? server : JSON.stringify(server)}`;
}
