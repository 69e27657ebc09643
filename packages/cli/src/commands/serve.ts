/** capstan serve: runs the server in the foreground, with this terminal's environment. */
import { spawn } from "node:child_process";
import type { Command } from "../command.ts";
import { serverEntry } from "../local-server.ts";

export const serve: Command = {
  usage: "capstan serve [--port 4400] [--host 127.0.0.1]",
  summary:
    "Starts the server. PORT, HOST, DATABASE_URL, CAPSTAN_DATA_DIR and provider keys are read from the environment.",
  options: { port: { type: "string" }, host: { type: "string" } },
  run({ options, environment }) {
    const env = {
      ...environment,
      ...(typeof options.port === "string" && { PORT: options.port }),
      ...(typeof options.host === "string" && { HOST: options.host }),
    };
    const child = spawn(process.execPath, [serverEntry()], { stdio: "inherit", env });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 0)));
  },
};
