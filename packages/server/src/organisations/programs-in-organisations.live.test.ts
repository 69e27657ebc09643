/**
 * Programs of two organisations on one machine: each installs packages and runs coding agents of its own, as users of the
 * system that only it has, and reaches nothing of the other, of the first, or of the machine.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LOCAL_USER } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { testTarball, testWheel } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { scriptedAdapter } from "../harness/fixtures/scripted-adapter.ts";

const isRoot = process.getuid?.() === 0;
const COMMAND = "aech-cli-spy";
const MARK = "what only its own organisation may read";

type Who = Record<string, string>;

describe.runIf(process.platform === "linux")("programs in organisations", () => {
  let store: FreshStore;
  let server: TestServer;
  let neighbour: Server;
  let asked: string[];
  let outside: string;
  const who: Record<string, Who> = { first: {} };

  beforeAll(async () => {
    store = await freshPglite();
    chmodSync(store.dataDir, 0o700);
    outside = mkdtempSync(join(tmpdir(), "capstan-outside-"));
    writeFileSync(join(outside, "notes.txt"), MARK);
    asked = [];
    neighbour = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("{}");
    }).listen(0, "127.0.0.1");
    server = await testServer(
      store,
      {},
      {
        config: { codingAgents: [scriptedAdapter()] },
        environment: {
          PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
          HOME: store.dataDir,
          NPM_TOKEN: "npm-token-of-the-operator",
        },
      },
    );
    for (const id of ["acme", "beta"]) {
      const made = await server.call("POST", "/v1/organisations", { id, name: id });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      who[id] = { authorization: `Bearer ${made.body.key}` };
    }
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    neighbour?.close();
    rmSync(outside, { recursive: true, force: true });
  });

  const port = () => (neighbour.address() as AddressInfo).port;
  const folderOf = (organisation: string) => join(store.dataDir, "organisations", organisation);

  /** Says who it is, keeps a note at home, and looks for everybody else's. */
  const code = () => `#!/usr/bin/env node
const fs = process.getBuiltinModule("node:fs");
const look = (path) => { try { fs.statSync(path); return true; } catch { return false; } };
const note = process.env.HOME + "/note.txt";
const before = look(note) ? fs.readFileSync(note, "utf8") : "";
fs.writeFileSync(note, process.argv.at(-1));
const others = ${JSON.stringify([
    store.dataDir,
    join(store.dataDir, "organisations"),
    folderOf("acme"),
    folderOf("beta"),
    outside,
  ])}.filter((path) => { try { return fs.readdirSync(path).some((name) => !["users", "organisations", "acme", "beta", "packages", "work", "capabilities"].includes(name)); } catch { return false; } });
fetch("http://127.0.0.1:${port()}/from-a-package").then(() => true, () => false).then((reached) =>
  console.log(JSON.stringify({ uid: process.getuid(), home: process.env.HOME, before, others, reached, token: process.env.NPM_TOKEN ?? null })));
`;
  const action = {
    name: "around",
    description: "Looks around",
    parameters: [{ name: "word", type: "argument", required: true, description: "A word" }],
  };
  const manifest = {
    name: "cli-spy",
    type: "cli",
    command: COMMAND,
    description: "Looks",
    required_scopes: ["spy.look"],
    actions: [action],
  };
  const archive = () =>
    Buffer.from(testTarball({ name: COMMAND, command: COMMAND, manifest, code: code() })).toString("base64");
  const call = (by: string, word: string) =>
    server.call("POST", "/v1/capabilities/cli-spy/tools/cli-spy_around", { input: { word } }, { ...who[by] });

  test("an organisation reviews, installs, grants and calls a package that no other one has", async () => {
    const source = { source: "x.tgz", bytes: archive() };
    const review = await server.call("POST", "/v1/packages/review", source, who.acme);
    expect(review).toMatchObject({ status: 200, body: { name: COMMAND, scopes: ["spy.look"] } });
    expect((await server.call("POST", "/v1/packages", source, who.acme)).status).toBeGreaterThanOrEqual(400);
    const install = { ...source, yes: true, grant: ["spy.look"] };
    const installed = await server.call("POST", "/v1/packages", install, who.acme);
    expect(installed.status, JSON.stringify(installed.body)).toBe(201);
    for (const other of ["first", "beta"]) {
      expect((await server.call("GET", "/v1/packages", undefined, who[other])).body.items).toEqual([]);
      expect((await call(other, "x")).status).toBe(404);
      expect((await server.call("DELETE", `/v1/packages/${COMMAND}`, undefined, who[other])).status).toBe(
        404,
      );
      const grants = await server.call("GET", "/v1/grants", undefined, who[other]);
      expect(JSON.stringify(grants.body)).not.toContain("spy.look");
    }
    const log = await server.call("GET", "/v1/audit", undefined, who.acme);
    expect(JSON.stringify(log.body)).toContain("package.installed");
    expect(existsSync(join(folderOf("acme"), "capstan.lock"))).toBe(true);
    expect(existsSync(join(store.dataDir, "capstan.lock"))).toBe(false);
  });

  test("the same person's programs are another user in each, with another home, and reach nothing of the rest", async () => {
    const said: Record<string, { uid: number; home: string; before: string }> = {};
    for (const by of ["first", "beta"]) {
      const install = { source: "x.tgz", bytes: archive(), yes: true, grant: ["spy.look"] };
      expect((await server.call("POST", "/v1/packages", install, who[by])).status).toBe(201);
    }
    for (const by of ["first", "acme", "beta"]) {
      const grant = { subject: `user:${LOCAL_USER}`, scope: "spy.look" };
      const inside = by === "first" ? {} : { "capstan-organisation": by };
      await server.call("POST", "/v1/grants", grant, inside);
      who[`${by}-local`] = inside;
      const answer = await call(`${by}-local`, `word of ${by}`);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      said[by] = answer.body.output;
      expect(answer.body.output).toMatchObject({ before: "", others: [], reached: false, token: null });
    }
    expect(asked).toEqual([]);
    expect(new Set(Object.values(said).map(({ home }) => home)).size).toBe(3);
    if (isRoot) {
      expect(new Set(Object.values(said).map(({ uid }) => uid)).size).toBe(3);
      expect(statSync(join(folderOf("acme"), "users", LOCAL_USER)).uid).toBe(said.acme?.uid);
    }
    expect((await call("acme-local", "again")).body.output).toMatchObject({ before: "word of acme" });
    expect(statSync(folderOf("acme")).mode & 0o066).toBe(0);
  });

  test("a package cannot be read from the machine, and nobody learns what lies there", async () => {
    const project = join(outside, "project");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "x", version: "1.0.0" }));
    for (const source of [project, join(outside, "nothing"), "../../etc", "~/x", `${outside}/x.tgz`])
      for (const [path, body] of [
        ["/v1/packages/review", { source }],
        ["/v1/packages", { source, yes: true }],
      ] as const)
        expect(await server.call("POST", path, body, who.acme), source).toMatchObject({
          status: 403,
          body: { code: "organisation_of_operator" },
        });
  });

  test("an MCP command sees no file of the machine that its command line names", {
    timeout: 60_000,
  }, async () => {
    chmodSync(outside, 0o755);
    const script = join(outside, "server.mjs");
    const notes = JSON.stringify(join(outside, "notes.txt"));
    writeFileSync(
      script,
      `process.stderr.write(process.getBuiltinModule("node:fs").readFileSync(${notes}));`,
    );
    const source = { source: `node ${script}`, kind: "mcp", run_to_describe: true };
    const review = async (by: string) =>
      JSON.stringify((await server.call("POST", "/v1/packages/review", source, who[by])).body);
    expect(await review("first")).toContain(MARK);
    expect(await review("acme")).toMatch(/MODULE_NOT_FOUND/);
  });

  test("a dependency that points at the machine's own network is not asked for", async () => {
    const inner = `inner @ http://127.0.0.1:${port()}/inner-1.0.0-py3-none-any.whl`;
    const bytes = Buffer.from(testWheel({ name: "aech-cli-deep", dependencies: [inner] })).toString("base64");
    const source = { source: "aech_cli_deep-1.0.0-py3-none-any.whl", bytes };
    const review = await server.call("POST", "/v1/packages/review", source, who.acme);
    expect(review.status).toBeGreaterThanOrEqual(400);
    expect(asked).toEqual([]);
  });

  test("services, folders, transcripts and direct runs of programs stay the operator's", async () => {
    for (const [method, path, body] of [
      ["POST", "/v1/services/x/start", {}],
      ["POST", "/v1/coding-agents/claude/runs", { prompt: "hello" }],
      ["GET", "/v1/coding-agents/claude/sessions", undefined],
    ] as const) {
      const { status, body: said } = await server.call(method, path, body, who.acme);
      expect([status, said.code], path).toEqual([403, "organisation_of_operator"]);
    }
  });

  async function turn(by: string, agent: object, content: string) {
    const made = await server.call(
      "POST",
      "/v1/agents",
      { name: "P", harness: "scripted", ...agent },
      who[by],
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const session = await server.call("POST", "/v1/sessions", { agent_id: made.body.id }, who[by]);
    const at = `/v1/sessions/${session.body.id}/messages`;
    const sent = await server.call("POST", at, { content }, who[by]);
    const run = async () =>
      (await server.call("GET", `/v1/runs/${sent.body.run_id}`, undefined, who[by])).body;
    await vi.waitFor(async () => expect((await run()).status).toMatch(/done|failed/), { timeout: 20_000 });
    const messages = await server.call("GET", at, undefined, who[by]);
    return { run: await run(), said: JSON.stringify(messages.body.items.at(-1)) };
  }

  test.runIf(isRoot)(
    "a coding agent runs as a user of its organisation, and finds nobody else's files",
    async () => {
      const uids: string[] = [];
      for (const by of ["first-local", "acme-local", "beta-local"]) {
        const { run, said } = await turn(
          by,
          {},
          `user\nsteal ${[store.dataDir, folderOf("beta"), folderOf("acme"), join(store.dataDir, "organisations")].join(" ")}`,
        );
        expect(run, JSON.stringify(run)).toMatchObject({ status: "done" });
        expect(said).toMatch(/EACCES EACCES EACCES EACCES/);
        uids.push(/uid (\d+)/.exec(said)?.[1] ?? "");
      }
      expect(new Set(uids).size).toBe(3);
    },
  );

  test.runIf(isRoot)("a coding agent with tools of its own is refused with the reason", async () => {
    const { run } = await turn("acme-local", { allow_native_tools: true }, "user");
    expect(run).toMatchObject({ status: "failed" });
    expect(JSON.stringify(run)).toContain("organisation_harness_refused");
  });

  test.runIf(!isRoot)("a coding agent is refused where it would run as the server", async () => {
    const { run } = await turn("acme-local", {}, "user");
    expect(run).toMatchObject({ status: "failed" });
    expect(JSON.stringify(run)).toContain("organisation_harness_refused");
  });

  test("deleting an organisation deletes its packages, homes and folders", async () => {
    await server.call("PATCH", "/v1/organisations/beta", { disabled: true });
    expect((await server.call("DELETE", "/v1/organisations/beta")).status).toBe(204);
    expect(existsSync(folderOf("beta"))).toBe(false);
    expect((await call("acme-local", "still here")).status).toBe(200);
  });
});
