/** The user's view: the packages packed, installed into an empty folder by name, and used there. */
import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment } from "./bare-environment.ts";
import { build } from "./build.ts";
import { type ServerProcess, spawnServer } from "./server-process.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What people install. The others are in the server's bundle, and published for those who build on parts of it. */
const INSTALLED = ["core", "client", "coding-agents", "server", "cli"];
const PARTS = ["builtins", "runtime"];
const run = promisify(execFile);

let folder: string;
let user: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-pack-"));
  const staged = await build(join(folder, "build"), join(folder, "studio")); // other tests serve the one in the tree
  const npm = (args: string[], cwd: string) => execFileSync("npm", args, { cwd, stdio: "pipe" });
  const packed = npm(
    ["pack", "--silent", "--pack-destination", folder, ...INSTALLED.map((name) => `./${name}`)],
    staged,
  );
  const tarballs = packed.toString().trim().split("\n");
  user = join(folder, "user");
  cpSync(join(ROOT, "examples"), user, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  for (const [name, text] of Object.entries(USER_FILES)) writeFileSync(join(user, name), text);
  const files = tarballs.map((name) => join(folder, name));
  // --prefer-offline: the workspace's own install has just fetched these. Nothing we publish needs an install script; one
  // that a part of the sandbox brings would compile for ten seconds what is not used here.
  npm(["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", ...files], user);
}, 400_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packages as they are published", () => {
  test("an empty folder runs its own capability with the published names", async () => {
    expect(await inUserFolder("own-capability.ts")).toMatch(/roll \(auto\)/);
  });

  test("the command is there and knows its version", async () => {
    expect(await inUserFolder("node_modules/.bin/capstan", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("a TypeScript user's compiler finds every type, those of the declarations included", async () => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const checked = run(process.execPath, [tsc, "-p", user], { cwd: user }).catch(({ stdout }) => ({
      stdout,
    }));
    expect((await checked).stdout).toBe("");
  });

  test("a server-side project without the types of a browser compiles the client", async () => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const options = [
      "-p",
      join(user, "tsconfig.no-browser.json"),
      "--typeRoots",
      join(ROOT, "node_modules/@types"),
    ];
    const checked = run(process.execPath, [tsc, ...options], { cwd: user }).catch(({ stdout }) => ({
      stdout,
    }));
    expect((await checked).stdout).toBe("");
  });

  test("the server includes core, zod and the optional packages, and lists whose code is in its bundle", () => {
    const installed = join(user, "node_modules/@capstan/server");
    const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(Object.keys(dependencies)).toEqual(["@capstan/core", "zod"]);
    for (const name of ["hono", "pg", "drizzle-orm", "gpt-tokenizer"])
      expect(existsSync(join(user, "node_modules", name)), name).toBe(false);
    const notice = readFileSync(join(installed, "THIRD-PARTY.md"), "utf8");
    for (const name of [
      "hono",
      "pg",
      "drizzle-orm",
      "@dbos-inc/dbos-sdk",
      "undici",
      "gpt-tokenizer",
      "react",
    ])
      expect(notice, name).toMatch(new RegExp(`(## |, )${name} \\d`));
  });

  test("a start loads no SDK that it does not need", () => {
    const loaded = new Set(
      packagesIn(loadedAtStart(join(user, "node_modules/@capstan/server/dist/main.js"))),
    );
    for (const name of ["hono", "pg", "zod"]) expect(loaded, name).toContain(name); // or the names are not found at all
    const late =
      /^(undici|htmlparser2|@modelcontextprotocol|@a2a-js|@ag-ui\/(proto|encoder|client)|@ai-sdk\/(?!provider$))/;
    expect([...loaded].filter((name) => late.test(name))).toEqual([]);
  });

  test.each(PARTS)("the compiled %s loads", async (name) => {
    const parts = join(folder, "parts", name);
    mkdirSync(join(parts, "node_modules/@capstan"), { recursive: true });
    for (const each of [...PARTS, "core"])
      cpSync(join(folder, "build/packages", each), join(parts, "node_modules/@capstan", each), {
        recursive: true,
      });
    symlinkSync(join(ROOT, "node_modules"), join(parts, "node_modules/node_modules"));
    writeFileSync(
      join(parts, "load.mjs"),
      `console.log(Object.keys(await import("@capstan/${name}")).length > 5)`,
    );
    expect((await run(process.execPath, [join(parts, "load.mjs")])).stdout).toBe("true\n");
  });
});

describe("the server as it is published", () => {
  let server: ServerProcess;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(folder, "data");
    const bin = join(user, "node_modules/.bin/capstan");
    server = await spawnServer({ dataDir }, { CAPSTAN_ALLOW_HOSTS: "127.0.0.1" }, user, [bin, "serve"]).ready;
  }, 60_000);
  afterAll(() => server?.end());

  test("a capability of the user's own core and zod works in it, refusals included", async () => {
    const rolled = await server.call("POST", "/v1/capabilities/dice/tools/roll", { input: { sides: 6 } });
    expect(rolled).toMatchObject({ status: 200, body: { output: { sides: 6 } } });
    const refused = await server.call("POST", "/v1/capabilities/dice/tools/roll", { input: { sides: 1 } });
    expect(refused.status).toBe(422);
    const described = await server.call("GET", "/v1/capabilities/dice");
    expect(described.body.tools[0].input_schema.properties.sides).toMatchObject({ minimum: 2 });
  });

  test.each([
    ["the studio", "/", /<div id="root">/],
    ["the API's description", "/openapi.json", /"openapi":"3\.1/],
    ["coding agents", "/v1/coding-agents", /"claude"/],
    ["the models", "/v1/models", /"items"/],
  ])("serves %s", async (_, path, expected) => {
    const answer = await fetch(server.url + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(expected);
  });

  test("an agent of it answers over AG-UI, MCP and A2A, and its tokens are counted exactly", async () => {
    const { body: agent } = await server.call("POST", "/v1/agents", {
      name: "Timekeeper",
      system_prompt: "supercalifragilisticexpialidocious", // 10 tokens; a quarter of its letters are 9
      capabilities: ["current_time"],
    });
    const preview = await server.call("GET", `/v1/agents/${agent.id}/preview`);
    expect(preview.body.tokens.prompt).toBe(10);
    const turn = await fetch(`${server.url}/v1/agents/${agent.id}/ag-ui`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        threadId: "t",
        runId: "r",
        messages: [{ id: "m", role: "user", content: "What time is it?" }],
      }),
    });
    expect(await turn.text()).toMatch(/RUN_FINISHED/);
    const card = await server.call("GET", `/v1/agents/${agent.id}/a2a/agent-card.json`);
    expect(card.body.name).toBe("Timekeeper");
    const listed = await server.call(
      "POST",
      `/mcp?agent=${agent.id}`,
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      { accept: "application/json, text/event-stream" },
    );
    expect(JSON.stringify(listed.body)).toMatch(/get_current_time/);
  });

  test("code runs in its sandbox, a task is routed, a page is fetched and turned into text", async () => {
    const ran = await server.call("POST", "/v1/capabilities/sandbox/tools/execute_code", {
      input: { language: "javascript", code: "console.log(6 * 7)" },
    });
    expect(ran.body.output.stdout).toBe("42\n");
    const task = "What time is it in Lisbon?";
    expect((await server.call("POST", "/api/execute-task", { task })).body.status).toBe("ok");
    const page = { url: `${server.url}/docs`, as_text: true };
    const read = await server.call("POST", "/v1/capabilities/web_fetch/tools/web_fetch", { input: page });
    expect(read.body.output).toMatchObject({ format: "text", content: expect.stringContaining("Capstan") });
  });

  test("what it holds is backed up by the command line", async () => {
    await server.end();
    const file = join(folder, "all.capstan");
    const said = await inUserFolder("node_modules/.bin/capstan", "backup", file);
    expect(said).toMatch(/^Wrote /);
    expect(existsSync(file)).toBe(true);
  });
});

/** As a user runs a program: in their folder, with nothing of ours in the environment. */
async function inUserFolder(program: string, ...args: string[]): Promise<string> {
  const env = { ...bareEnvironment(), CAPSTAN_DATA_DIR: join(folder, "data") };
  return (await run(process.execPath, [program, ...args], { cwd: user, timeout: 60_000, env })).stdout;
}

/** The chunks that `main.js` imports first and whatever these import, without what they only may import later. */
function loadedAtStart(main: string): string[] {
  const first = [...readFileSync(main, "utf8").matchAll(/import\("(\.[^"]+)"\)/g)].map(
    ([, path = ""]) => path,
  );
  const waiting = first.map((path) => join(dirname(main), path));
  const found = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
      /^(?:import|export) .*?"(\.[^"]+)";$/gm,
    )) {
      const next = join(dirname(file), path);
      if (!found.has(next)) waiting.push(next);
      found.add(next);
    }
  }
  return [...found];
}

/** The bundle says above each module where it is from. */
const packagesIn = (files: readonly string[]): string[] =>
  files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/\n]+)\//gm)].map(
      ([, name = ""]) => name,
    ),
  );

const USER_FILES = {
  "package.json": JSON.stringify({ type: "module", private: true }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      module: "nodenext",
      target: "es2024",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    },
    files: ["capstan.config.ts", "uses-types.ts"],
  }),
  "tsconfig.no-browser.json": JSON.stringify({
    extends: "./tsconfig.json",
    compilerOptions: { lib: ["es2024"], types: ["node"] },
    files: ["uses-types.ts"],
  }),
  "capstan.config.ts": `
import { type CapstanConfig, defineCapability, defineTool, fail, ok } from "@capstan/core";
import { z } from "zod";

const roll = defineTool({
  name: "roll",
  description: "Roll a die.",
  input: z.object({ sides: z.int().min(2).default(6) }),
  output: z.object({ sides: z.int(), rolled: z.int() }),
  run: ({ sides }) => (sides > 1000 ? fail("tool_failed", { message: "too many" }) : ok({ sides, rolled: 1 })),
});
const config: CapstanConfig = {
  capabilities: [defineCapability({ id: "dice", name: "Dice", description: "Rolls dice.", tools: [roll] })],
};
export default config;
`,
  "uses-types.ts": `
import { connect, createApi } from "@capstan/client";
import { createClient } from "@capstan/coding-agents";
import { openLog, parseSettings, type RunningServer, startServer } from "@capstan/server";

export async function main(): Promise<string | undefined> {
  const settings = parseSettings({ PORT: "0" });
  if (!settings.ok) return settings.failure.nextStep;
  const started = await startServer(settings.value, openLog(() => {}, true));
  if (!started.ok) return started.failure.message;
  const server: RunningServer = started.value;
  const api = createApi(connect({ url: server.url }));
  const agents = createClient().adapters;
  // @ts-expect-error a port is a number, so the types are there and not \`any\`
  const port: string = settings.value.PORT;
  return [port, typeof api, typeof agents].join();
}
`,
};
