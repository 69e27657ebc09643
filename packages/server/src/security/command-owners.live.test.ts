/**
 * Every command, typed by Eve with the ids of Bob's things: the answer must be the one for an id that nobody has, lists must
 * not show them, and nothing of Bob's may change. That each command needs its right is in `every-protocol.live.test.ts`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Seen, typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { KEY_RULES } from "../../../core/src/authority/authority.ts";
import { COMMAND_CELLS } from "../fixtures/protocol-cells.ts";

/** In every text of Bob's. */
const WORD = "heron-41c7";
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}|\bcall_\w+/g;
const LEDGER = { name: "Ledger", kind: "api_key", hosts: ["ledger.example.com"] };
/** Placeholders of rows that nobody's thing stands for: Eve's own files, and things that admins make. */
const NOT_OWNED = /\{(none|agentFile|ruleFile|package|login)\}/;

type Things = Readonly<Record<string, string>>;

let server: TestServer;
let llm: ScriptedLlm;
let folder: string;
let eve: string;
let bob: string;
let things: Things;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-owners-"));
  writeFileSync(join(folder, "rule.yaml"), "name: R\nthen: deny\ntools: [nothing_like_it]\n");
  llm = await scriptedLlm(() => ({ text: [`Aye, ${WORD}.`] }));
  server = await testServer(await freshPglite(), llmEnvironment(llm));
  await server.call("PUT", "/v1/connection-providers/ledger", LEDGER);
  eve = await keyOf("eve@example.com");
  bob = await keyOf("bob@example.com");
  things = await bobsThings();
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await llm?.close();
  rmSync(folder, { recursive: true, force: true });
});

const keyOf = async (owner: string): Promise<string> =>
  (await server.services.keys.create({ name: owner, owner, rights: ["author"], perMinute: 1e6 })).key;

async function asBob(method: string, path: string, body?: object) {
  const answer = await server.call(method, path, body, { authorization: `Bearer ${bob}` });
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}
const make = (path: string, body: object) => asBob("POST", path, body);

async function bobsThings(): Promise<Things> {
  const scorers = [{ type: "contains", all: ["a"] }];
  const clerk = { name: `Clerk ${WORD}`, capabilities: ["test_math"], tool_policies: { add: "approve" } };
  const agent = (await make("/v1/agents", clerk)).id;
  await asBob("PUT", `/v1/agents/${agent}/shares`, { access: "private", shares: [] });
  const session = (await make("/v1/sessions", { agent_id: agent, title: WORD })).id;
  const run = (await make(`/v1/sessions/${session}/messages`, { content: WORD })).run_id;
  await vi.waitFor(async () => expect((await asBob("GET", `/v1/runs/${run}`)).status).toBe("done"), 20_000);
  const call = { input: { a: 1, b: 2 }, agent_id: agent, session_id: session };
  const approval = (await make("/v1/capabilities/test_math/tools/add", call)).approval_id;
  await make("/v1/connections", { provider: "ledger", key: `key-${WORD}`, agent_id: agent });
  const connection = (await asBob("GET", "/v1/connections")).items[0].id;
  const memory = (await make("/v1/memories", { text: WORD, scope: "user" })).id;
  const dataset = (await make("/v1/datasets", { name: WORD })).id;
  await make(`/v1/datasets/${dataset}/import`, { runs: [run] });
  const measured = { name: WORD, dataset_id: dataset, agent_id: agent, scorers };
  const experiment = (await make("/v1/experiments", measured)).id;
  const monitor = (await make("/v1/monitors", { name: WORD, agent_id: agent, scorers })).id;
  const replay = (await make("/v1/replays", { runs: [run], with: { system_prompt: WORD } })).id;
  const rule = (await make("/v1/rules", { name: WORD, agent_id: agent, tools: ["add"], then: "ask" })).id;
  const planned = { capability: "test_math", cron: "0 0 1 1 *" };
  const schedule = (await make("/v1/schedules", planned)).id;
  const token = (await make(`/v1/agents/${agent}/tokens`, { name: WORD })).id;
  const made = { agent, session, run, approval, connection, memory, dataset, experiment, monitor };
  return { ...made, replay, rule, schedule, token, throwaway: agent };
}

/** Every list of Bob's, and what he has in his session. */
async function snapshot(): Promise<string> {
  const lists = [
    "agents",
    "sessions",
    "runs",
    "approvals",
    "connections",
    "memories",
    "datasets",
    "experiments",
  ];
  const more = ["monitors", "replays", "rules", "schedules", "tokens", `sessions/${things.session}/messages`];
  const below = [`datasets/${things.dataset}/items`, `agents/${things.agent}/shares`];
  const texts = [...lists, ...more, ...below].map(async (name) =>
    JSON.stringify(await asBob("GET", `/v1/${name}`)),
  );
  return (await Promise.all(texts)).join("\n");
}

const typed = (type: string, key: string, ids: (kind: string) => string): Promise<Seen> =>
  typeCommand(
    server.url,
    type.split(" ").map((word) => {
      const [, kind] = /^\{(\w+)\}$/.exec(word) ?? [];
      return kind === undefined ? word.replaceAll("+", " ") : ids(kind);
    }),
    { key, environment: {}, lines: ["a-secret-value"] },
  );
const bobs = (kind: string): string =>
  kind === "ruleFile" ? join(folder, "rule.yaml") : (things[kind] ?? NONE);
const NONE = "0197a3c1-9f5e-7c1b-b8a4-2f9f0a6b7c11";
const nobodys = (kind: string): string => (kind === "ruleFile" ? bobs(kind) : NONE);
const shown = ({ code, out, err }: Seen): string => `${code} ${out} ${err}`.replace(ID, "ID");

const named = COMMAND_CELLS.filter(({ type }) => /\{/.test(type.replaceAll(new RegExp(NOT_OWNED, "g"), "")));
const lists = COMMAND_CELLS.filter(
  ({ type, cell: [action, thing] }) =>
    !type.includes("{") && action === "see" && KEY_RULES[thing].whose === "own",
);

describe("Eve", () => {
  test("has no command that would take an id of a thing that Bob does not have here", () => {
    const kinds = named.flatMap(({ type }) => [...type.matchAll(/\{(\w+)\}/g)].map(([, kind]) => kind ?? ""));
    expect(kinds.filter((kind) => !(kind in things) && !NOT_OWNED.test(`{${kind}}`))).toEqual([]);
  });

  test.each(named.map(({ type }) => type))("would see or change what is Bob's: %s", async (type) => {
    const before = await snapshot();
    const answer = await typed(type, eve, bobs);
    expect(answer.code, `${answer.out}${answer.err}`).not.toBe(0);
    expect(`${answer.out}${answer.err}`).not.toContain(WORD);
    expect(shown(answer)).toBe(shown(await typed(type, eve, nobodys)));
    expect(await snapshot()).toBe(before);
  });

  test.each(lists.map(({ type }) => type))("would find what is Bob's in: %s", async (type) => {
    const { out, err } = await typed(`${type} --json`, eve, bobs);
    expect(`${out}${err}`).not.toContain(WORD);
    for (const id of Object.values(things)) expect(`${out}${err}`).not.toContain(id);
  });
});

test("Bob himself sees his things by the same commands", async () => {
  const seeing = named.filter(
    ({ cell: [action, thing] }) => action === "see" && KEY_RULES[thing].whose === "own",
  );
  const wrong: string[] = [];
  for (const { type } of seeing.filter(
    ({ type, cell }) => !type.startsWith("eval ") && cell[1] !== "change",
  )) {
    const { code, out, err } = await typed(type, bob, bobs);
    if (code !== 0) wrong.push(`${type}: ${out}${err}`);
  }
  expect(wrong).toEqual([]);
  expect(seeing.length).toBeGreaterThan(15);
});
