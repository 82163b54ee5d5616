import { spawn } from "node:child_process";

/** The program that opens an address, and its arguments: no shell reads the address, which a server has made. */
function opener(address: string, platform: NodeJS.Platform): readonly [program: string, ...args: string[]] {
  if (platform === "darwin") return ["/usr/bin/open", address];
  if (platform === "win32") return ["rundll32.exe", "url.dll,FileProtocolHandler", address];
  return ["xdg-open", address];
}

/** Opens the user's browser. False: there is none that we could start. */
export async function openBrowser(address: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = opener(address, platform);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    // xdg-open ends at once when it finds no browser; one that runs on has found one.
    child.once("exit", (code) => resolve(code === 0));
    setTimeout(resolve, 2000, true).unref();
    child.unref();
  });
}
