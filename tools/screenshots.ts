/**
 * `node tools/screenshots.ts`: screenshots of the studio on a separate server with demo data. Without options it
 * rewrites docs/images; `--all <folder>` takes every screen in light, in dark and at a phone's width, to look at.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { type Demo, demoScript, fillDemo } from "./demo-data.ts";
import { picturedStudio } from "./pictured-studio.ts";
import { scriptedLlm } from "./scripted-llm.ts";

const IMAGES = fileURLToPath(new URL("../docs/images", import.meta.url));
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };

interface Shot {
  readonly name: string;
  readonly path: (demo: Demo) => string;
  /** What is on it once it is there. */
  readonly shown: string | RegExp;
  /** What a person would do there first. */
  readonly act?: (page: Page) => Promise<void>;
  /** The name of its picture in the README, and the look it is taken in. */
  readonly readme?: { readonly file: string; readonly theme: "light" | "dark" };
}

const SHOTS: readonly Shot[] = [
  { name: "home", path: () => "/", shown: "Recent sessions" },
  {
    name: "chat",
    path: ({ chat }) => `/chat/${chat}`,
    shown: /Allow .*?\?/,
    readme: { file: "chat", theme: "light" },
  },
  { name: "new-chat", path: ({ agent }) => `/chat?agent=${agent}`, shown: /What should/ },
  { name: "agents", path: () => "/agents", shown: "Harbour Master" },
  {
    name: "composer",
    path: ({ agent }) => `/agents/${agent}`,
    shown: "Merged prompt",
    readme: { file: "composer", theme: "light" },
  },
  { name: "share-agent", path: ({ agent }) => `/agents/${agent}`, shown: "Merged prompt", act: openShares },
  { name: "share-session", path: ({ chat }) => `/sessions/${chat}/trace`, shown: "waiting", act: openShares },
  { name: "sessions", path: () => "/sessions", shown: /Prepare the arrival/ },
  {
    name: "trace",
    path: ({ chat }) => `/sessions/${chat}/trace`,
    shown: "waiting",
    readme: { file: "trace", theme: "dark" },
  },
  { name: "session-chat", path: ({ chat }) => `/sessions/${chat}/chat`, shown: /Allow .*?\?/ },
  { name: "files", path: ({ chat }) => `/sessions/${chat}/files`, shown: /Upload/ },
  { name: "events", path: ({ chat }) => `/sessions/${chat}/events`, shown: "RUN_STARTED" },
  { name: "state", path: ({ chat }) => `/sessions/${chat}/state`, shown: "Shared state" },
  { name: "approvals", path: () => "/approvals", shown: /wants/ },
  {
    name: "usage",
    path: () => "/usage",
    shown: "Model calls",
    readme: { file: "usage", theme: "light" },
  },
  { name: "schedules", path: () => "/schedules", shown: "Next run" },
  { name: "file", path: ({ chat }) => `/sessions/${chat}/files`, shown: /Upload/, act: openAFile },
  { name: "docs", path: () => "/docs", shown: "agents", act: openARoute },
  { name: "capabilities", path: () => "/capabilities", shown: /\d capabilities$/ },
  { name: "capability", path: () => "/capabilities/test_math", shown: "multiply" },
  {
    name: "route",
    path: () => "/route",
    shown: "Find match",
    act: rankATask,
    readme: { file: "route", theme: "light" },
  },
  { name: "telemetry", path: () => "/route/telemetry", shown: "Over time" },
  {
    name: "coding-agents",
    path: () => "/coding-agents",
    shown: /Claude Code/,
    readme: { file: "coding-agents", theme: "light" },
  },
  { name: "models", path: () => "/coding-agents/models", shown: /price|Model/i },
  { name: "delegate", path: () => "/coding-agents/run", shown: /Prompt|No coding agents/ },
  { name: "packages", path: () => "/packages", shown: /Install a package/ },
  { name: "services", path: () => "/packages/services", shown: /service/i },
  { name: "triggers", path: () => "/packages/triggers", shown: /rigger/ },
  { name: "rules", path: () => "/rules", shown: "Rules" },
  { name: "budgets", path: () => "/budgets", shown: "Budgets" },
  { name: "experiments", path: () => "/experiments", shown: "Experiments" },
  { name: "datasets", path: () => "/experiments/datasets", shown: /[Dd]ataset/ },
  { name: "replays", path: () => "/experiments/replays", shown: /[Rr]eplay/ },
  { name: "memories", path: () => "/memories", shown: "Memory" },
  { name: "connections", path: () => "/connections", shown: "Connections" },
  { name: "tokens", path: () => "/settings/tokens", shown: /[Tt]oken/ },
  { name: "logins", path: () => "/settings/logins", shown: /[Ll]ogin/ },
  { name: "settings", path: () => "/settings", shown: /Anthropic/ },
  { name: "keys", path: () => "/settings/keys", shown: "New key" },
  { name: "users", path: () => "/settings/users", shown: "ann@example.com" },
  { name: "audit", path: () => "/settings/audit", shown: "agent.created" },
  { name: "about", path: () => "/settings/about", shown: "Appearance" },
  { name: "nowhere", path: () => "/nowhere", shown: "This page does not exist" },
];

/** Of an install in which nobody has done anything yet. */
const EMPTY: Demo = { agent: "", chat: "" };
const FIRST_PATHS = [
  ...[
    "",
    "chat",
    "agents",
    "agents/new",
    "sessions",
    "approvals",
    "rules",
    "budgets",
    "memories",
    "usage",
    "schedules",
  ],
  ...["experiments", "experiments/datasets", "experiments/live", "experiments/replays", "experiments/review"],
  ...["packages", "packages/services", "packages/triggers", "route", "route/telemetry", "connections"],
  ...["coding-agents/doctor", "coding-agents/run"],
  ...["settings", "settings/keys", "settings/users", "settings/tokens", "settings/logins", "settings/audit"],
];
const FIRST_SHOTS: readonly Shot[] = FIRST_PATHS.map((path) => ({
  name: `empty-${path.replace("/", "-") || "home"}`,
  path: () => `/${path}`,
  shown: /./,
}));

const { values } = parseArgs({ options: { all: { type: "string" }, only: { type: "string" } } });
const llm = await scriptedLlm(demoScript);
const { server, browser, dataDir, close } = await picturedStudio({
  OPENAI_COMPATIBLE_BASE_URL: llm.baseUrl,
  OPENAI_COMPATIBLE_API_KEY: "demo",
});
try {
  if (values.all) await takeAll(browser, server.url, EMPTY, FIRST_SHOTS, values.all);
  const demo = await fillDemo(server, dataDir);
  const shots = SHOTS.filter(
    ({ name }) => values.only === undefined || values.only.split(",").includes(name),
  );
  if (values.all) await takeAll(browser, server.url, demo, shots, values.all);
  else await takeReadme(browser, server.url, demo, shots);
} finally {
  await close();
  await llm.close();
}

async function takeReadme(on: Browser, url: string, demo: Demo, shots: readonly Shot[]): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  for (const shot of shots) {
    if (!shot.readme) continue;
    const path = join(IMAGES, `${shot.readme.file}.png`);
    await take(on, url + shot.path(demo), shot, { path, theme: shot.readme.theme, viewport: DESK });
  }
}

async function takeAll(
  on: Browser,
  url: string,
  demo: Demo,
  shots: readonly Shot[],
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const looks = [
    { look: "light", theme: "light", viewport: DESK },
    { look: "dark", theme: "dark", viewport: DESK },
    { look: "phone", theme: "light", viewport: PHONE },
  ] as const;
  for (const shot of shots) {
    for (const { look, theme, viewport } of looks) {
      const path = join(folder, `${shot.name}-${look}.png`);
      await take(on, url + shot.path(demo), shot, { path, theme, viewport });
    }
  }
}

interface Take {
  readonly path: string;
  readonly theme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
}

async function take(on: Browser, url: string, shot: Shot, { path, theme, viewport }: Take): Promise<void> {
  const page = await on.newPage({ viewport, colorScheme: theme, reducedMotion: "reduce" });
  await page.goto(url);
  try {
    await page
      .locator("main")
      .getByText(shot.shown)
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: 10_000 });
    await shot.act?.(page);
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => {}); // streams stay open
  } catch (error) {
    process.stderr.write(`${shot.name}: ${(error as Error).message.split("\n")[0]}\n`);
  }
  await page.screenshot({ path });
  await page.close();
}

async function openShares(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("dialog").waitFor();
}

async function openAFile(page: Page): Promise<void> {
  await page.getByRole("button", { name: "arrivals" }).click();
  await page.getByRole("button", { name: /aurora/ }).click();
  await page.getByRole("tab", { name: "Changes" }).click();
}

async function openARoute(page: Page): Promise<void> {
  await page.getByRole("searchbox").fill("usage");
  await page.locator("#getUsage summary").first().click();
  await page.locator("#getUsage").getByRole("button", { name: "Send" }).click();
  await page.locator("#getUsage output.ok").waitFor();
}

async function rankATask(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Task" }).fill("When is high tide in Lisbon?");
  await page.getByRole("button", { name: "Find match" }).click();
  await page.getByRole("list", { name: "Matches" }).waitFor();
}
