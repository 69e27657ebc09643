import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../../tools/browser.ts";
import { freshPglite } from "../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../tools/test-server.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "capstan-assistant-ui-"));
let server: TestServer;
let preview: ChildProcess;

beforeAll(async () => {
  cpSync(import.meta.dirname, folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist|\.test\./.test(path.slice(import.meta.dirname.length)),
  });
  server = await testServer(await freshPglite());
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  await run("npm", ["run", "types"], { cwd: folder });
  await run("npm", ["run", "build"], { cwd: folder });
});
afterAll(async () => {
  preview?.kill();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("assistant-ui shows what an agent says and calls", async () => {
  const agent = await server.call("POST", "/v1/agents", { name: "Sums", capabilities: ["test_math"] });
  const vite = join(folder, "node_modules/vite/bin/vite.js"); // itself, not by npx, which would leave it behind
  preview = spawn(process.execPath, [vite, "preview", "--port", "0", "--host", "127.0.0.1"], {
    cwd: folder,
    env: { ...process.env, CAPSTAN_URL: server.url, CAPSTAN_AGENT: agent.body.id, NO_COLOR: "1" },
  });
  const url = await new Promise<string>((resolve) => {
    let text = "";
    preview.stdout?.on("data", (bytes) => {
      text += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
      if (found) resolve(found[0]);
    });
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByLabel("Message").fill("add 2 and 40");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".assistant", { hasText: "2 + 40 = 42" }).waitFor();
    expect(await page.locator(".tool").allTextContents()).toEqual([expect.stringContaining("add")]);
  } finally {
    await browser.close();
  }
});
