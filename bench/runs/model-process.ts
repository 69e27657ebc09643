/** The model of the benchmarks as a separate process. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../server.ts";

export async function startModel(): Promise<string> {
  const port = await freePort();
  const model = spawn(process.execPath, [join(import.meta.dirname, "mock-model.ts")], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => model.kill());
  await new Promise((resolve, reject) => {
    model.stdout?.once("data", resolve);
    model.once("exit", () => reject(new Error("the model did not start")));
  });
  return `http://127.0.0.1:${port}`;
}
