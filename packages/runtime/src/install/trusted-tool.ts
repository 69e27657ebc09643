/**
 * Runs the package managers (python, pip, npm): programs of the system that we trust, unlike what they fetch.
 * They get the environment handed down from main.ts, because registries and proxies are configured there.
 */
import { execFile } from "node:child_process";

export interface ToolRun {
  readonly ok: boolean;
  readonly stdout: string;
  /** The last lines it wrote to stderr, or why it could not run. */
  readonly why: string;
}

const MAX_OUTPUT = 16 * 1024 * 1024;
const WHY_LINES = 4;

export function runTool(
  argv: readonly string[],
  options: { env: Readonly<Record<string, string>>; cwd?: string; timeoutMs: number },
): Promise<ToolRun> {
  const [file = "", ...args] = argv;
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      {
        env: { ...options.env },
        cwd: options.cwd,
        timeout: options.timeoutMs,
        maxBuffer: MAX_OUTPUT,
        killSignal: "SIGKILL",
      },
      (error, stdout, stderr) => {
        const lines = (stderr || error?.message || "").trim().split("\n");
        const why = error?.killed
          ? `it took longer than ${options.timeoutMs} ms`
          : lines.slice(-WHY_LINES).join(" ");
        resolve({ ok: error === null, stdout, why });
      },
    );
  });
}
