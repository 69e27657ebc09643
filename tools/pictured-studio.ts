/** A separate server with an empty store, and a browser for screenshots of its studio. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openLog } from "../packages/server/src/settings/log.ts";
import { parseSettings } from "../packages/server/src/settings/settings.ts";
import { type RunningServer, startServer } from "../packages/server/src/start/serve.ts";
import { builtStudio, launchBrowser } from "./browser.ts";

export interface PicturedStudio {
  readonly server: RunningServer;
  readonly browser: Browser;
  readonly dataDir: string;
  close(): Promise<void>;
}

export async function picturedStudio(environment: Record<string, string> = {}): Promise<PicturedStudio> {
  await builtStudio();
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-screens-"));
  const settings = parseSettings({
    PORT: "0",
    CAPSTAN_DATA_DIR: dataDir,
    CAPSTAN_FIND_MODELS: "off", // what runs on this machine must not be on the pictures
    ...environment,
  });
  if (!settings.ok) throw new Error(settings.failure.message);
  const log = openLog((line) => process.stderr.write(`${line}\n`), false);
  const server = await startServer(settings.value, log, {
    environment: { PATH: process.env.PATH ?? "", HOME: dataDir },
  });
  if (!server.ok) throw new Error(server.failure.message);
  const browser = await launchBrowser();
  return {
    server: server.value,
    browser,
    dataDir,
    async close() {
      await browser.close();
      await server.value.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
