import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PAGES, ROOT } from "./docs-blocks.ts";

const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

test("every page of the docs is in their index", () => {
  const index = read("docs/README.md");
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(pages.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
});

test.each(PAGES)("every link of %s leads to a file and a heading that are there", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = links.filter((target) => !/^(https?|mailto):/.test(target) && !leads(page, target));
  expect(broken).toEqual([]);
});

function leads(page: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, file))) return false;
  return heading === undefined || !file.endsWith(".md") || headingsOf(file).includes(heading);
}

/** As GitHub names them. */
const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
