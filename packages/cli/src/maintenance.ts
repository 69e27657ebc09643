/** Starts the server package's maintenance process and relays its output. Resolved by name, never imported, like the server. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Failure, fail, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { CommandContext } from "./command.ts";

const Line = z.union([
  z.object({ progress: z.object({ table: z.string(), rows: z.int(), files: z.int() }) }),
  z.object({ done: z.looseObject({}) }),
  z.object({
    failed: z.object({
      code: z.string(),
      status: z.int(),
      message: z.string(),
      nextStep: z.string(),
      details: z.unknown().optional(),
    }),
  }),
]);

export async function runMaintenance(
  { environment, terminal }: Pick<CommandContext, "environment" | "terminal">,
  ...words: string[]
): Promise<Result<Record<string, unknown>>> {
  const entry = fileURLToPath(import.meta.resolve("@capstan/server/maintenance"));
  const child = spawn(process.execPath, [entry, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...environment },
  });
  const forward = terminal.onInterrupt(() => child.kill("SIGINT"));
  const gone = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  let outcome: Result<Record<string, unknown>> | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = Line.parse(JSON.parse(text));
    if ("progress" in line) terminal.err(progressText(line.progress));
    else outcome = "done" in line ? ok(line.done) : { ok: false, failure: line.failed as Failure };
  }
  const code = await gone;
  forward();
  return outcome ?? fail("maintenance_stopped", { code });
}

const progressText = ({ table, rows, files }: { table: string; rows: number; files: number }): string =>
  `  ${table}: ${number(rows)} rows${files > 0 ? `, ${number(files)} files` : ""} so far\n`;

export const number = (value: number): string => value.toLocaleString("en");
