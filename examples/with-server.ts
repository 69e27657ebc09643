/** Uses the server at CAPSTAN_URL, or starts one and stops it when `work` is done. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function withServer(
  work: (url: string) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  const given = process.env.CAPSTAN_URL;
  if (given) return work(given);
  const { openLog, parseSettings, startServer } = await import("@capstan/server");
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-example-"));
  const settings = parseSettings({ PORT: "0", CAPSTAN_DATA_DIR: dataDir, ...environment });
  if (!settings.ok) throw new Error(settings.failure.message);
  const server = await startServer(settings.value, openLog(console.error, false), {
    environment: programEnvironment(dataDir),
  });
  if (!server.ok) throw new Error(server.failure.message);
  try {
    await work(server.value.url);
  } finally {
    await server.value.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The environment that started programs draw from: each gets only its own keys and settings. */
function programEnvironment(dataDir: string): Record<string, string> {
  const set = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { PATH: "", HOME: dataDir, ...Object.fromEntries(set) };
}
