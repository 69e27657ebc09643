/**
 * `node tools/first-minute.ts`: the moving picture in the README, docs/images/first-minute.png, from screenshots of the
 * studio on a separate server: an empty install, the demo model, and its tour.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { animatedPng, type Frame } from "./animated-png.ts";
import { picturedStudio } from "./pictured-studio.ts";

const IMAGE = fileURLToPath(new URL("../docs/images/first-minute.png", import.meta.url));
const VIEWPORT = { width: 1280, height: 760 };
const SCALE = 0.75; // 960 pixels wide, as the README shows it
const MOST_BYTES = 1_500_000;

/** What is done, what is then on the page, and how long it is shown. */
interface Scene {
  readonly act?: (page: Page) => Promise<unknown>;
  readonly shown: (page: Page) => Promise<unknown>;
  readonly ms: number;
}

const answer = (page: Page, text: string) =>
  page.getByRole("article", { name: "Answer" }).getByText(text).first().waitFor();
const card = (page: Page) => page.getByRole("region", { name: "Approve execute_code" });
const code = (page: Page) => card(page).getByRole("textbox").filter({ hasText: "print" });
const message = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

const SCENES: readonly Scene[] = [
  { shown: (page) => page.getByText("A working agent in two clicks").waitFor(), ms: 2200 },
  {
    act: (page) => page.getByRole("button", { name: /First mate/ }).click(),
    shown: (page) => page.getByRole("button", { name: "Take the tour" }).waitFor(),
    ms: 1600,
  },
  {
    act: (page) => page.getByRole("button", { name: "Take the tour" }).click(),
    shown: (page) => card(page).waitFor(),
    ms: 3600,
  },
  {
    act: (page) => card(page).getByRole("button", { name: "Edit arguments of execute_code" }).click(),
    shown: (page) => code(page).waitFor(),
    ms: 1200,
  },
  {
    act: async (page) => code(page).fill((await code(page).inputValue()).replace("captain", "Ada")),
    shown: (page) => code(page).filter({ hasText: "Ada" }).waitFor(),
    ms: 1800,
  },
  {
    act: (page) =>
      card(page)
        .getByRole("button", { name: /with edits/ })
        .click(),
    shown: (page) => answer(page, "2 …"),
    ms: 2600,
  },
  { shown: (page) => answer(page, "4 …"), ms: 900 },
  {
    act: (page) => page.getByRole("button", { name: "Stop" }).click(),
    shown: (page) => page.getByText("Stopped.").waitFor(),
    ms: 1800,
  },
  { act: (page) => message(page).fill("go on"), shown: async () => {}, ms: 900 },
  {
    act: (page) => message(page).press("Enter"),
    shown: (page) => answer(page, "That was the tour."),
    ms: 2800,
  },
  {
    act: (page) => page.getByRole("link", { name: "Details" }).click(),
    shown: (page) => page.getByText("execute_code").first().waitFor(),
    ms: 2200,
  },
  {
    act: (page) => page.getByRole("button", { name: /approval execute_code/ }).click(),
    shown: (page) => page.getByText("Arguments", { exact: true }).first().scrollIntoViewIfNeeded(),
    ms: 3600,
  },
];

const studio = await picturedStudio();
try {
  const page = await studio.browser.newPage({
    viewport: VIEWPORT,
    deviceScaleFactor: SCALE,
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  await page.goto(studio.server.url);
  const frames: Frame[] = [];
  for (const { act, shown, ms } of SCENES) {
    await act?.(page);
    await shown(page);
    await page.evaluate(() => document.fonts.ready);
    frames.push({ png: await page.screenshot({ caret: "hide", animations: "disabled" }), ms });
  }
  const image = animatedPng(frames);
  if (image.length > MOST_BYTES) throw new Error(`${image.length} bytes are too many for a README`);
  writeFileSync(IMAGE, image);
  process.stdout.write(`${IMAGE}: ${frames.length} frames, ${image.length} bytes\n`);
} finally {
  await studio.close();
}
