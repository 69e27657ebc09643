/** An installation that was in use, backed up and restored elsewhere: everything works there as documented. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backUp, restore } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { pack } from "../../../cli/src/new/pack.ts";
import { scaffold } from "../../../cli/src/new/scaffold.ts";

const FROM_OUTSIDE = { "x-forwarded-for": "203.0.113.7" }; // then the server requires a key
const TRIGGER = "3f2b8c1e-9a4d-4e6f-8b2a-1c3d5e7f9a0b";
const WAYS = STORES.flatMap((from) => STORES.filter((to) => to !== from).map((to) => ({ from, to })));

describe.each(WAYS)("after a restore from $from.name into $to.name", ({ from, to }) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-restored-"));
  const keys: Record<"kept" | "revoked", string> = { kept: "", revoked: "" };
  let llm: ScriptedLlm;
  let server: TestServer;
  let session: string;
  beforeAll(async () => {
    llm = await scriptedLlm((request) =>
      toolAnswered(request)
        ? { text: ["The sum is 5."] }
        : { calls: [{ id: "c1", name: "add", input: { a: 2, b: 3 } }] },
    );
    const source = await from.fresh();
    const target = await to.fresh();
    session = await inUse(source);
    const path = join(folder, "backup.capstan");
    const now = () => new Date();
    const report = { path, version: "test", now, progress: () => {} };
    const made = await backUp({ from: source, ...report });
    if (!made.ok) throw new Error(made.failure.message);
    await source.drop(); // nothing may be read from the old location
    const restored = await restore({ path, to: target, progress: () => {} });
    if (!restored.ok) throw new Error(restored.failure.message);
    rmSync(join(target.dataDir, "packages"), { recursive: true }); // as where the other system is another
    server = await testServer(target, llmEnvironment(llm));
  }, 180_000);
  afterAll(async () => {
    await server?.stop();
    await llm.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A server with a key, a revoked key, a package, a schedule and an unanswered question. */
  const inUse = async (source: FreshStore): Promise<string> => {
    const first = await testServer(source, llmEnvironment(llm));
    for (const name of ["kept", "revoked"] as const) {
      const { body } = await first.call("POST", "/v1/keys", { name, rights: ["admin"] });
      keys[name] = body.key;
      if (name === "revoked") await first.call("DELETE", `/v1/keys/${body.id}`);
    }
    await first.call("POST", "/v1/packages", { ...(await tides(folder)), yes: true });
    const agent = { name: "Sums", capabilities: ["test_math"], tool_policies: { add: "approve" } };
    const { body: made } = await first.call("POST", "/v1/agents", agent);
    const { body } = await first.call("POST", "/v1/sessions", { agent_id: made.id });
    await first.call("POST", `/v1/sessions/${body.id}/messages`, { content: "add 2 and 3" });
    await vi.waitFor(async () => {
      const { body: asked } = await first.call("GET", "/v1/approvals?status=pending");
      expect(asked.items).toHaveLength(1);
    }, 30_000);
    const newYear = { capability: "test_math", cron: "0 0 1 1 *", type: "new_year", payload: {} };
    expect((await first.call("POST", "/v1/schedules", newYear)).status).toBe(201);
    await first.services.database.pool.query("update schedules set created_at = now() - interval '3 years'");
    await first.services.database.pool.query(
      "update schedules set last_fired_at = now() - interval '2 years'",
    );
    await first.close();
    putTrigger(source.dataDir);
    return body.id;
  };

  test("keys work as before, and a revoked one stays invalid", async () => {
    const status = async (key: string) =>
      (await server.call("GET", "/v1/keys", undefined, { ...FROM_OUTSIDE, authorization: `Bearer ${key}` }))
        .status;
    expect(await status(keys.kept)).toBe(200);
    expect(await status(keys.revoked)).toBe(401);
    expect((await server.call("GET", "/v1/keys", undefined, FROM_OUTSIDE)).status).toBe(401);
  });

  test("the question is still pending, and its answer continues the run to its end", async () => {
    const { body } = await server.call("GET", "/v1/approvals?status=pending");
    const asked = body.items.filter(({ session_id }: { session_id: string }) => session_id === session);
    expect(asked).toMatchObject([{ tool: "add", input: { a: 2, b: 3 } }]); // the waiting trigger may ask as well
    const answered = await server.call("POST", `/v1/approvals/${asked[0].id}`, { decision: "approve" });
    expect(answered.status).toBe(200);
    await vi.waitFor(async () => {
      const events = await server.call("GET", `/v1/sessions/${session}/events?format=json`);
      expect(JSON.stringify(events.body.items.at(-1))).toContain("RUN_FINISHED");
      expect(JSON.stringify(events.body)).toContain("The sum is 5.");
    }, 30_000);
  });

  test("the installed package works, unpacked again from the store", async () => {
    const { body } = await server.call("GET", "/v1/packages");
    expect(body.items).toMatchObject([{ name: expect.stringContaining("tides") }]);
    const { body: offered } = await server.call("GET", "/v1/capabilities?q=tides");
    const [capability] = offered.items.filter(({ id }: { id: string }) => id.includes("tides"));
    const ran = await server.call("POST", `/v1/capabilities/${capability.id}/tools/tides_save`, {
      session_id: session,
      input: { file_path: "/log.txt", text: "high water at noon" },
    });
    expect(ran.body).toMatchObject({ output: expect.anything() });
    const file = await server.call("GET", `/v1/sessions/${session}/files/log.txt`);
    expect(file.body).toContain("high water at noon");
  });

  test("a waiting trigger is handled, and a schedule fires once, for the latest time it missed", async () => {
    await vi.waitFor(async () => {
      const { body } = await server.call("GET", "/v1/triggers?limit=100");
      const all: { id: string; type: string; status: string }[] = body.items;
      expect(all.find(({ id }) => id === TRIGGER)).toMatchObject({ status: "done" });
      expect(all.filter(({ type }) => type === "new_year")).toHaveLength(1);
      expect(all.filter(({ status }) => status === "pending" || status === "processing")).toEqual([]);
    }, 60_000);
    const { body } = await server.call("GET", "/v1/schedules");
    const january = new Date(Date.UTC(new Date().getUTCFullYear(), 0, 1)).toISOString();
    expect(body.items).toMatchObject([{ type: "new_year", last_fired_at: january }]);
  });
});

async function tides(into: string): Promise<{ source: string; bytes: string }> {
  const made = await scaffold({ type: "cli", name: "tides", language: "typescript", into });
  if (!made.ok) throw new Error(made.failure.message);
  const packed = await pack(made.value.folder, into);
  if (!packed.ok) throw new Error(packed.failure.message);
  const { path } = packed.value;
  return { source: path.split("/").at(-1) ?? "", bytes: readFileSync(path).toString("base64") };
}

function putTrigger(dataDir: string): void {
  const place = join(dataDir, "rt_triggers", "test_math");
  mkdirSync(place, { recursive: true });
  const trigger = {
    id: TRIGGER,
    user: "local@localhost",
    type: "waited",
    created_at: new Date().toISOString(),
    payload: {},
  };
  writeFileSync(join(place, `${TRIGGER}.json`), JSON.stringify(trigger));
}
