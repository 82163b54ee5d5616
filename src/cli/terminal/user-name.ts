import { userInfo } from "node:os";

/** Who decides here, as far as the system knows. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`; // one without a name, as in many containers
  }
}
