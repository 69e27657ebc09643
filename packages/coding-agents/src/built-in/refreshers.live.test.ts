import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createModelRegistry } from "@capstan/core/internal";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../command/run-command.ts";
import { MODEL_SNAPSHOTS } from "./models.ts";
import { createRefreshers } from "./refreshers.ts";

const NOW = new Date("2026-12-01T00:00:00.000Z");
let folder = "";
let server: Server;
let base = "";
let answer: (request: IncomingMessage) => { status?: number; body: string } = () => ({ body: "{}" });
const seen: IncomingMessage[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-refresh-"));
  server = createServer((request, response) => {
    seen.push(request);
    const { status = 200, body } = answer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  seen.length = 0;
});

const registry = (env: Record<string, string> = {}) =>
  createModelRegistry({
    snapshots: MODEL_SNAPSHOTS,
    now: () => NOW,
    refreshers: createRefreshers({
      run: runCommand,
      fetch: globalThis.fetch,
      env: { PATH: [folder, dirname(process.execPath)].join(delimiter), ...env },
      now: () => NOW,
    }),
  });

/** A program of this name that stands in for the CLI. */
async function standIn(name: string, script: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, `#!/usr/bin/env node\n${script}`);
  await chmod(file, 0o755);
}
const prints = (text: string) => `process.stdout.write(${JSON.stringify(text)})`;

describe("from the CLI itself", () => {
  test("codex app-server model/list, over its stdin", async () => {
    await standIn(
      "codex",
      `if (process.argv[2] !== "app-server") process.exit(9);
       const lines = require("node:readline").createInterface({ input: process.stdin });
       const say = (x) => console.log(JSON.stringify(x));
       let ready = false;
       lines.on("line", (line) => {
         const { id, method } = JSON.parse(line);
         if (method === "initialize") say({ id, result: { userAgent: "x" } });
         if (method === "initialized") { ready = true; say({ method: "configWarning", params: {} }); }
         if (method === "model/list" && ready) say({ id, result: { data: [
           { id: "gpt-7", displayName: "GPT-7", supportedReasoningEfforts: [{ reasoningEffort: "low" }], isDefault: true }] } });
       });`,
    );
    const models = registry();
    await models.refresh("codex");
    expect(models.defaultModel("codex")).toMatchObject({ modelId: "gpt-7", source: "remote" });
    expect(models.lastUpdated("codex")).toEqual(NOW);
  });

  test.each([
    ["copilot", "copilot", '  `model`: x\n    - "gpt-7"\n', "gpt-7"],
    ["cursor", "agent", "gpt-7 - GPT-7\n", "gpt-7"],
    [
      "pi",
      "pi",
      "provider model context max-out thinking images\nopenai gpt-7 1M 128K yes yes\n",
      "openai/gpt-7",
    ],
    [
      "omp",
      "omp",
      '{"models":[{"selector":"openai/gpt-7","name":"G","provider":"openai","contextWindow":1,"maxTokens":1}]}',
      "openai/gpt-7",
    ],
    ["openclaw", "openclaw", '{"models":[{"key":"openai/gpt-7"}]}', "openai/gpt-7"],
  ])("%s", async (agent, program, printed, modelId) => {
    await standIn(program, prints(printed));
    const models = registry();
    await models.refresh(agent);
    expect(models.models(agent).map((model) => model.modelId)).toEqual([modelId]);
  });

  test.each([
    ["one that fails", "console.error('not logged in'); process.exit(1)", "not logged in"],
    ["one that prints something else", prints("hello"), "it holds no model"],
  ])("%s leaves the bundled list, and says why", async (_, script, why) => {
    await standIn("opencode", script);
    const models = registry();
    const before = models.models("opencode");
    await expect(models.refresh("opencode")).rejects.toThrow(why);
    expect(models.models("opencode")).toBe(before);
  });

  test("one that is not there is named", async () => {
    const models = registry({ PATH: "/nowhere" });
    await expect(models.refresh("pi")).rejects.toThrow("the command is not installed");
  });
});

describe("from the provider", () => {
  test.each(["", "/", "/v1"])(
    'claude asks Anthropic, its address ending in "%s", with the key in a header',
    async (ending) => {
      answer = () => ({ body: '{"data":[{"id":"claude-opus-6","display_name":"Claude Opus 6"}]}' });
      const models = registry({ ANTHROPIC_BASE_URL: `${base}${ending}`, ANTHROPIC_API_KEY: "sk-secret" });
      await models.refresh("claude");
      expect(models.model("claude", "claude-opus-6")?.displayName).toBe("Claude Opus 6");
      expect(seen[0]?.headers["x-api-key"]).toBe("sk-secret");
      expect(seen[0]?.url).toBe("/v1/models?limit=1000");
    },
  );

  test("gemini asks Google", async () => {
    answer = () => ({
      body: '{"models":[{"name":"models/gemini-5","supportedGenerationMethods":["generateContent"]}]}',
    });
    const models = registry({ GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: "k" });
    await models.refresh("gemini");
    expect(models.models("gemini").map(({ modelId }) => modelId)).toEqual(["gemini-5"]);
  });

  test("native asks every provider that has a key, and keeps the rest", async () => {
    answer = () => ({ body: '{"data":[{"id":"gpt-7"}]}' });
    const models = registry({ OPENAI_BASE_URL: `${base}/v1`, OPENAI_API_KEY: "k" });
    await models.refresh("native");
    expect(models.model("native", "openai/gpt-7")).not.toBeNull();
    expect(models.model("native", "openai/gpt-6-sol")).toBeNull();
    expect(models.model("native", "anthropic/claude-opus-5-5")?.source).toBe("bundled");
    expect(models.defaultModel("native")?.modelId).toBe("capstan/offline");
  });

  test.each([
    ["refuses", { status: 401, body: "{}" }, "it answered 401"],
    ["answers without end", { body: `"${"x".repeat(8_000_001)}"` }, "larger than 8000000 bytes"],
    ["answers something else", { body: "<html>" }, "could not be read"],
  ])("one that %s leaves the bundled list", async (_, response, why) => {
    answer = () => response;
    const models = registry({ ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: "k" });
    const before = models.models("claude");
    await expect(models.refresh("claude")).rejects.toThrow(why);
    expect(models.models("claude")).toBe(before);
  });

  test("without a key nothing is asked", async () => {
    await expect(registry({ ANTHROPIC_BASE_URL: base }).refresh("claude")).rejects.toThrow(
      "ANTHROPIC_API_KEY",
    );
    expect(seen).toEqual([]);
  });
});
