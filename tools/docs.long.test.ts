/**
 * Every code block of the README and the docs is executed: JSON and YAML are parsed, TypeScript is type-checked and run,
 * shell is run, both against a server of this test, which replaces http://127.0.0.1:4400.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { bareEnvironment } from "./bare-environment.ts";
import { type DocsBlock, docsBlocks, ROOT } from "./docs-blocks.ts";
import { apiReference } from "./references.ts";
import { freshPglite } from "./stores-under-test.ts";
import { type TestServer, testServer } from "./test-server.ts";

const run = promisify(execFile);
const blocks = docsBlocks();
const folder = mkdtempSync(join(tmpdir(), "capstan-docs-"));
const BIN = join(ROOT, "node_modules/.bin");

let server: TestServer;
let complaints = "";
beforeAll(async () => {
  server = await testServer(await freshPglite());
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  // npx would look whether the package is installed, for a second each time; here it is.
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npx"), '#!/bin/sh\ncommand=$1\nshift\nexec "$command" "$@"\n');
  chmodSync(join(folder, "bin/npx"), 0o755);
  for (const block of blocks.filter(isWritten)) put(block);
  complaints = await typeCheck();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
  const idle = blocks.filter(({ noRun }) => noRun);
  const checked = blocks.filter(({ checkOnly }) => checkOnly);
  const ran = blocks.length - idle.length - checked.length;
  console.log(`docs: ${ran} code blocks run, ${checked.length} only type-checked, ${idle.length} not run:`);
  for (const [reason, of] of Object.entries(
    Object.groupBy([...checked, ...idle], ({ noRun, checkOnly }) => noRun ?? `type-checked, ${checkOnly}`),
  )) {
    console.log(`  ${reason}: ${(of ?? []).map(title).join(", ")}`);
  }
});

describe("the docs", () => {
  test("docs/api.md is what /openapi.json says; `node tools/references.ts` writes it", async () => {
    const { body } = await server.call("GET", "/openapi.json");
    expect(readFileSync(join(ROOT, "docs/api.md"), "utf8")).toBe(apiReference(body));
  });

  test("name a language that is executed, or say why not", () => {
    const unknown = blocks.filter(({ language, noRun }) => noRun === undefined && !RUNNERS[language]);
    expect(unknown.map(title)).toEqual([]);
  });

  test.each(blocks.filter(({ noRun, language }) => noRun === undefined && RUNNERS[language]).map(named))(
    "%s works as shown",
    async (_title, block) => {
      await RUNNERS[block.language]?.(block);
    },
  );
});

const RUNNERS: Record<string, (block: DocsBlock) => unknown> = {
  json: ({ text }) => JSON.parse(text),
  yaml: ({ text }) => {
    for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
  },
  ts: runTypeScript,
  sh: runShell,
  bash: runShell,
};

async function runTypeScript(block: DocsBlock): Promise<void> {
  const path = fileOf(block);
  const own = complaints.split("\n").filter((line) => line.startsWith(path));
  expect(own, "what the type checker says").toEqual([]);
  if (block.checkOnly) return;
  await run(process.execPath, [path], { cwd: pageFolder(block), timeout: 30_000, env: environment() });
}

/** Comments say what comes; a command that fails fails the block. */
async function runShell(block: DocsBlock): Promise<void> {
  const script = `set -euo pipefail\n${here(block.text)}`;
  const done = run("bash", ["-c", script], { cwd: pageFolder(block), timeout: 110_000, env: environment() });
  await done.catch((error: { stdout: string; stderr: string }) => {
    expect.fail(`${error.stdout}\n${error.stderr}`);
  });
}

function environment(): Record<string, string> {
  return {
    ...bareEnvironment(),
    PATH: `${join(folder, "bin")}:${BIN}:${process.env.PATH}`,
    HOME: folder,
    CAPSTAN_URL: server.url,
    NO_COLOR: "1",
  };
}

async function typeCheck(): Promise<string> {
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { noEmit: true, typeRoots: [join(ROOT, "node_modules/@types")] },
    include: ["pages/**/*.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "-p", "tsconfig.json", "--pretty", "false"], { cwd: folder }).then(
    () => "",
    ({ stdout }: { stdout: string }) =>
      stdout
        .split("\n")
        .map((line) => join(folder, line))
        .join("\n"),
  );
}

function put(block: DocsBlock): void {
  mkdirSync(dirname(fileOf(block)), { recursive: true });
  writeFileSync(fileOf(block), `${here(block.text)}\n`);
}

function pageFolder({ page }: DocsBlock): string {
  const path = join(folder, "pages", page.replace(/\W+/g, "-"));
  mkdirSync(path, { recursive: true });
  return path;
}

const fileOf = (block: DocsBlock): string => join(pageFolder(block), block.file ?? `line-${block.line}.ts`);
const here = (text: string): string => text.replaceAll("http://127.0.0.1:4400", server.url);
const isWritten = ({ language, file, noRun }: DocsBlock): boolean =>
  file !== undefined || (language === "ts" && noRun === undefined);
const title = ({ page, line, language }: DocsBlock): string => `${page}:${line} (${language})`;
const named = (block: DocsBlock): [string, DocsBlock] => [title(block), block];
