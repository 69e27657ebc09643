/** The walk of docs/prove.md, as it stands there: from a thumbs-down to a fixed, measured, promoted revision. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { effects, obeyPlan, shop } from "../replays/fixtures/shop.ts";

const MARK = "```bash no-run: executed by packages/server/src/experiments/walk.live.test.ts\n";

let server: TestServer;
let llm: ScriptedLlm;
let folder: string;
beforeAll(async () => {
  llm = await scriptedLlm(obeyPlan);
  server = await testServer(await freshPglite(), llmEnvironment(llm), { config: { capabilities: [shop] } });
  folder = await mkdtemp(join(tmpdir(), "capstan-walk-"));
});
afterAll(async () => {
  await server?.stop();
  await llm?.close();
  await rm(folder, { recursive: true });
});

/** The words of a command as a shell reads them; files are in the test's folder. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ +#.*$/, "").matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? "")
    .map((word) =>
      word.replace(/(^|=)([\w-]+\.(?:md|jsonl))$/, (_all, before, file) => `${before}${join(folder, file)}`),
    );

async function ask(agentId: string, content: string) {
  const { id } = (await server.call("POST", "/v1/sessions", { agent_id: agentId })).body;
  const { run_id } = (await server.call("POST", `/v1/sessions/${id}/messages`, { content })).body;
  await vi.waitFor(
    async () => expect((await server.call("GET", `/v1/runs/${run_id}`)).body.status).toBe("done"),
    { timeout: 20_000 },
  );
  const { items } = (await server.call("GET", `/v1/sessions/${id}/messages`)).body;
  return { sessionId: id as string, runId: run_id as string, answer: items.at(-1) };
}

test("every command of the walk does what the page says", async () => {
  const agent = { name: "Clerk", capabilities: ["shop"], system_prompt: "say:No." };
  const { id } = (await server.call("POST", "/v1/agents", agent)).body;
  const told = await ask(id, "refund 17 20; say Refunded.");
  const at = `/v1/sessions/${told.sessionId}/messages/${told.answer.id}/feedback`;
  expect((await server.call("POST", at, { value: "down" })).status).toBeLessThan(300);
  effects.length = 0;

  const page = await readFile(new URL("../../../../docs/prove.md", import.meta.url), "utf8");
  const block = page.split(MARK)[1]?.split("```")[0] ?? "";
  const lines = block.split("\n").filter((line) => line.startsWith("capstan "));
  expect(lines.length).toBeGreaterThan(6);
  await writeFile(join(folder, "better.md"), "Do what you are asked to.");
  for (const line of lines) {
    const [, ...words] = wordsOf(line);
    if (words[0] === "datasets" && words[2] === "disliked" && words[3]?.endsWith("cases.jsonl")) {
      const item = JSON.parse(await readFile(join(folder, "cases.jsonl"), "utf8"));
      await writeFile(join(folder, "cases.jsonl"), `${JSON.stringify({ ...item, expected: "Refunded." })}\n`);
    }
    if (words[0] === "eval" && words.includes("draft")) {
      const draft = { system_prompt: await readFile(join(folder, "better.md"), "utf8"), save_as: "draft" };
      expect((await server.call("PATCH", `/v1/agents/${id}`, draft)).status).toBe(200);
    }
    const seen = await typeCommand(server.url, words);
    expect([line, seen.code, seen.err]).toEqual([line, words[0] === "replay" ? 1 : 0, ""]);
  }
  expect(effects).toEqual([]); // nothing was refunded while it was measured
  expect((await server.call("GET", `/v1/agents/${id}`)).body.system_prompt).toBe("Do what you are asked to.");
  const after = await ask(id, "refund 17 20; say Refunded.");
  expect(JSON.stringify(after.answer.content)).toContain("Refunded.");
});
