/** The studio in a real Chromium, on a real server with its own store: one of each per test file. */
import { chmodSync } from "node:fs";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { ServerExtras } from "../packages/server/src/start/open-features.ts";
import { builtStudio, launchBrowser } from "./browser.ts";
import { freshPglite } from "./stores-under-test.ts";
import { type TestServer, testServer } from "./test-server.ts";

export interface Studio {
  readonly server: TestServer;
  readonly browser: Browser;
  /** A page of its own, at this path. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong in any page: uncaught errors, and what the console calls an error. */
  readonly faults: string[];
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000; // the machine may be busy with other tests; nothing here depends on being fast

export async function studioUnderTest(
  environment: Record<string, string> = {},
  extras: ServerExtras = {},
): Promise<Studio> {
  await builtStudio();
  const [server, browser] = await Promise.all([
    freshPglite().then((store) => {
      chmodSync(store.dataDir, 0o711); // as root, programs that keep their tools run as another user, who must get in
      return testServer(store, environment, extras);
    }),
    launchBrowser(),
  ]);
  const faults: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    server,
    browser,
    faults,
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      watch(page, faults);
      await page.goto(server.url + path);
      return page;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      await server.stop();
    },
  };
}

/** A refused request is no fault of the page: it shows the server's words. Everything else is. */
export function watch(page: Page, faults: string[]): void {
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|ERR_CONNECTION/.test(message.text()))
      faults.push(`${page.url()}: ${message.text()}`);
  });
}
