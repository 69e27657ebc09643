/** A build in a separate process, with its progress: a build takes up to 450 MB that a server would keep. */
import { spawn } from "node:child_process";

const SHOWN_LINES = 4;

export interface SeparateBuild {
  /** Shown with the seconds it takes, such as "Building the studio". */
  readonly what: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly cwd: string;
}

/** Returns why it failed; undefined on success. */
export async function buildSeparately(
  { what, script, args = [], cwd }: SeparateBuild,
  say: (text: string) => void,
): Promise<string | undefined> {
  const seconds = secondsShown(say, what);
  const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors += bytes;
  });
  const ending = await new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code ?? 1)),
  );
  seconds.stop();
  if (ending === 0) return undefined;
  if (ending === "SIGKILL") return "it was killed, probably because memory ran out: a build takes 450 MB";
  if (errors.includes("Cannot find native binding"))
    return "npm left out its optional packages, which the build needs. Run `npm install --include=optional`.";
  return errors.trim().split("\n").slice(0, SHOWN_LINES).join("\n  ");
}

/** On a terminal the seconds are counted; elsewhere it is one line. */
function secondsShown(say: (text: string) => void, what: string): { stop(): void } {
  say(`${what} ...`);
  if (!process.stdout.isTTY) {
    say("\n");
    return { stop: () => {} };
  }
  let seconds = 0;
  const timer = setInterval(() => say(`\r${what} ... ${++seconds} s`), 1000);
  return {
    stop() {
      clearInterval(timer);
      say("\n");
    },
  };
}
