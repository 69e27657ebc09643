/** A package in a real browser: reviewed, installed with a granted scope, used, updated with a diff, uninstalled. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testTarball } from "../../../../../tools/packages/test-packages.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
const folder = mkdtempSync(join(tmpdir(), "capstan-package-"));

beforeAll(async () => {
  studio = await studioUnderTest();
});
afterAll(async () => {
  await studio?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a package is reviewed, installed with a scope, tried, updated with its new rights shown, and uninstalled", async () => {
  const first = writePackage("0.1.0", ["Echo.Use"]);
  const page = await studio.open("/packages");
  await review(page, first);
  const asked = page.getByRole("region", { name: "Review" });
  await asked.getByText("Echoes what it is given").waitFor();
  await asked.getByText(/^[0-9a-f]{64}$/).waitFor();
  await asked.getByRole("checkbox", { name: "Echo.Use" }).check();
  await asked.getByRole("button", { name: "Install", exact: true }).click();
  await page.getByText("Installed capstan-cli-echo 0.1.0.").waitFor();

  await page.getByRole("link", { name: "capstan-cli-echo" }).click();
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByLabel("Text", { exact: false }).first().fill("ahoy");
  await page.getByRole("button", { name: /^Run / }).click();
  await page.getByRole("group", { name: "Output" }).getByText("ahoy").waitFor();

  await page.getByLabel("Text", { exact: false }).first().fill("sink");
  await page.getByRole("button", { name: /^Run / }).click();
  const failed = page.getByRole("alert");
  await failed.getByText(/ended with code 3: the tide is out/).waitFor();
  expect(await failed.textContent()).not.toContain("much more");
  await failed.getByRole("button", { name: "Show whole output" }).click();
  await failed.getByRole("group", { name: "Whole output" }).getByText("much more").waitFor();

  const second = writePackage("0.2.0", ["Echo.Use", "Echo.Loud"]);
  await page.goto(`${studio.server.url}/packages`);
  await review(page, second);
  const diff = page.getByRole("region", { name: "Permission changes" });
  await diff.getByText("This update needs more permissions").waitFor();
  await diff.getByText("Echo.Loud").waitFor();
  await page.getByRole("button", { name: "Update with new permissions" }).click();
  await page.getByText("Installed capstan-cli-echo 0.2.0.").waitFor();

  await page.getByRole("button", { name: "Uninstall capstan-cli-echo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Uninstall" }).click();
  await page.getByText("No packages installed").waitFor();

  await page.goto(`${studio.server.url}/settings/users`);
  await page.getByText(/installing capstan-cli-echo/).waitFor();
  await page.getByRole("button", { name: "Revoke Echo.Use of local@localhost" }).click();
  await page.getByText(/^None yet\. Scopes granted on request/).waitFor();
  expect(studio.faults).toEqual([]);
});

test("what lies in the drop folder is chosen, a service is started, read and stopped, a trigger is dropped", async () => {
  const dataDir = studio.server.services.settings.CAPSTAN_DATA_DIR;
  const drop = join(dataDir, "capabilities", "clis");
  mkdirSync(drop, { recursive: true });
  writeFileSync(join(drop, "aech-cli-demo-0.1.0.tgz"), testTarball());
  const page = await studio.open("/packages");
  await page.getByRole("button", { name: "Review aech-cli-demo" }).click();
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page.getByRole("region", { name: "Review" }).getByText("Echoes what it is given").waitFor();

  await page.getByRole("tab", { name: "Services" }).click();
  await page.getByLabel("Package or folder").fill(writeService());
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("running", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Logs of tick" }).click();
  await page.getByRole("dialog").getByText("ticking").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stop tick" }).click();
  await page.getByText("stopped", { exact: true }).waitFor();

  const outbox = join(dataDir, "rt_triggers", "tick");
  mkdirSync(outbox, { recursive: true });
  writeFileSync(join(outbox, "bad.json.tmp"), "{");
  renameSync(join(outbox, "bad.json.tmp"), join(outbox, "bad.json"));
  await page.getByRole("tab", { name: "Triggers" }).click();
  await page.getByText("invalid", { exact: true }).last().waitFor();
  await page.getByRole("button", { name: "Drop" }).click();
  await page.locator("span").getByText("dropped", { exact: true }).waitFor();
  expect(studio.faults).toEqual([]);
});

async function review(page: Page, source: string): Promise<void> {
  await page.getByLabel("Source").fill(source);
  await page.getByRole("button", { name: "Review" }).click();
}

/** A folder with a command in JavaScript, as someone would write it. */
function writePackage(version: string, required_scopes: string[]): string {
  const path = join(folder, version);
  mkdirSync(path);
  const write = (name: string, content: object | string) =>
    writeFileSync(join(path, name), typeof content === "string" ? content : JSON.stringify(content));
  write("package.json", {
    name: "capstan-cli-echo",
    version,
    type: "module",
    bin: { "capstan-cli-echo": "main.mjs" },
  });
  write("manifest.json", {
    name: "echo",
    type: "cli",
    command: "capstan-cli-echo",
    description: "Echoes what it is given",
    required_scopes,
    actions: [{ name: "say", description: "Says it again", parameters: ["text"] }],
  });
  write(
    "main.mjs",
    `#!/usr/bin/env node
const said = process.argv.at(-1);
if (said === "sink") {
  console.log("and much more");
  console.error("the tide is out");
  process.exitCode = 3;
} else console.log(JSON.stringify({ said }));
`,
  );
  return path;
}

/** A folder with a service, as `capstan services start` takes it. */
function writeService(): string {
  const path = join(folder, "capstan-rt-tick");
  mkdirSync(path);
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  write(
    "docker-compose.yml",
    "services:\n  tick:\n    build: .\n    env_file:\n      - .env\n    volumes:\n      - ../data/app_context/tick:/data\n    restart: unless-stopped\n",
  );
  write("Dockerfile", 'FROM node:24-slim\nCMD ["node", "service.mjs"]\n');
  write(".env", "DELEGATED_USER=local@localhost\n");
  write(
    "service.mjs",
    'import { createServer } from "node:http";\ncreateServer((_, answer) => answer.end("{}")).listen(Number(process.env.PORT), process.env.HOST, () => console.log("ticking"));\nprocess.on("SIGTERM", () => process.exit(0));\n',
  );
  return path;
}
