import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok } from "@capstan/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testTrigger as trigger, writeTrigger } from "../../../../tools/test-triggers.ts";
import {
  type Answer,
  type Channels,
  sessionChannel,
  signature,
  teamsChannel,
  webhookChannel,
} from "./channels.ts";
import { dropTrigger, listTriggers, retryTrigger } from "./list-triggers.ts";
import { pruneTriggers } from "./prune-triggers.ts";
import {
  type HandledTrigger,
  type HandleOutcome,
  TriggerManager,
  type TriggerManagerOptions,
} from "./trigger-manager.ts";

let dataDir: string;
let handled: HandledTrigger[];
const managers: TriggerManager[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "capstan-triggers-"));
  handled = [];
});
afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the trigger manager", () => {
  test("handles a trigger once and moves it to _done with the outcome", async () => {
    const id = write({ payload: { draft: 7 } });
    await start();
    await settled(id, "done");
    expect(handled).toMatchObject([
      { capability: "inbox", attempt: 1, trigger: { id, payload: { draft: 7 } } },
    ]);
    expect(JSON.parse(readFileSync(at("_done", `${id}.result.json`), "utf8"))).toEqual({
      session_id: `session-of-${id}`,
      channel: "session",
      delivered: true,
    });
  });

  test("sees a trigger written while it runs", async () => {
    await start({ pollMs: 60_000 });
    mkdirSync(at(), { recursive: true });
    await vi.waitFor(() => expect(existsSync(at())).toBe(true));
    await settled(write(), "done", 15_000);
  });

  test("reads only complete files", async () => {
    mkdirSync(at(), { recursive: true });
    const id = randomUUID();
    writeFileSync(at(`${id}.json.tmp`), JSON.stringify(trigger({ id })));
    const other = write();
    await start({ pollMs: 20 });
    await settled(other, "done");
    expect(handled.map(({ trigger: { id: seen } }) => seen)).toEqual([other]);
    renameSync(at(`${id}.json.tmp`), at(`${id}.json`));
    await settled(id, "done");
  });

  test("accepts any file name, and renames the file by its id", async () => {
    const id = randomUUID();
    write({ id }, "some-event");
    await start({ pollMs: 20 });
    await settled(id, "done");
    expect(readdirSync(at()).filter((name) => name.endsWith(".json"))).toEqual([]);
  });

  test("handles the triggers of a user in the order of created_at, and users in parallel", async () => {
    const order: string[] = [];
    for (const [index, minute] of [5, 1, 4, 2, 3].entries()) {
      for (const user of ["a@x.org", "b@x.org"])
        write({ user, created_at: `2026-01-01T00:0${minute}:00Z`, payload: { minute, index } });
    }
    await start({
      handle: async ({ trigger: { user, payload } }) => {
        order.push(`${user} ${payload?.minute}`);
        return done();
      },
    });
    await vi.waitFor(() => expect(order.length).toBe(10), 10_000);
    for (const user of ["a@x.org", "b@x.org"]) {
      expect(order.filter((line) => line.startsWith(user))).toEqual(
        [1, 2, 3, 4, 5].map((minute) => `${user} ${minute}`),
      );
    }
  });

  test("retries after a pause, holds the lane meanwhile, and lets other lanes continue", async () => {
    const first = write({ created_at: "2026-01-01T00:01:00Z" });
    const second = write({ created_at: "2026-01-01T00:02:00Z" });
    const other = write({ created_at: "2026-01-01T00:03:00Z", user: "other@x.org" });
    const order: string[] = [];
    let failures = 2;
    await start({
      policy: { maxAttempts: 5, firstPauseMs: 300, longestPauseMs: 1000 },
      handle: async ({ trigger: { id } }) => {
        order.push(id);
        return id === first && failures-- > 0 ? { ok: false, reason: "not yet" } : done(id);
      },
    });
    await settled(second, "done");
    expect(order.filter((id) => id !== other)).toEqual([first, first, first, second]);
    expect(order.indexOf(other)).toBeLessThan(3);
  });

  test("moves a trigger to _failed with the reason after its last attempt, and lets the lane continue", async () => {
    const bad = write({ created_at: "2026-01-01T00:01:00Z" });
    const good = write({ created_at: "2026-01-01T00:02:00Z" });
    const policy = { maxAttempts: 3, firstPauseMs: 1, longestPauseMs: 1 };
    await start({
      policy,
      handle: async ({ trigger: { id } }) =>
        id === bad ? { ok: false, reason: "the model is away" } : done(id),
    });
    await settled(good, "done");
    const { items } = await listTriggers(root(), { status: "failed" });
    expect(items).toMatchObject([{ id: bad, attempts: 3, reason: "the model is away" }]);
  });

  test("counts a handler that throws as a failed attempt", async () => {
    const id = write();
    const policy = { maxAttempts: 1, firstPauseMs: 1, longestPauseMs: 1 };
    await start({ policy, handle: async () => Promise.reject(new Error("it broke")) });
    await settled(id, "failed");
    expect((await listTriggers(root(), { status: "failed" })).items[0]).toMatchObject({ reason: "it broke" });
  });

  test.each([
    ["text that is not JSON", "{", /not JSON/],
    ["no user", JSON.stringify({ ...trigger(), user: undefined }), /user/],
    ["an id that is not a UUID v4", JSON.stringify({ ...trigger(), id: "7" }), /UUID v4/],
    ["a user that is a path", JSON.stringify({ ...trigger(), user: "../../etc@x" }), /e-mail/],
  ])("moves %s to _invalid with the reason", async (_, text, reason) => {
    mkdirSync(at(), { recursive: true });
    writeFileSync(at("bad.json"), text);
    utimesSync(at("bad.json"), new Date(0), new Date(0));
    await start({ pollMs: 20 });
    await vi.waitFor(() => expect(existsSync(at("_invalid", "bad.json"))).toBe(true), 10_000);
    expect(JSON.parse(readFileSync(at("_invalid", "bad.reason.json"), "utf8")).reason).toMatch(reason);
    expect(handled).toEqual([]);
  });

  test("does not follow a link, and moves it aside", async () => {
    mkdirSync(at(), { recursive: true });
    writeFileSync(join(dataDir, "secret.json"), JSON.stringify(trigger()));
    symlinkSync(join(dataDir, "secret.json"), at("link.json"));
    await start({ pollMs: 20 });
    await vi.waitFor(() => expect(readdirSync(at("_invalid"))).toContain("link.reason.json"), 10_000);
    expect(handled).toEqual([]);
  });

  test("gives a producer that writes in place time to finish", async () => {
    mkdirSync(at(), { recursive: true });
    const id = randomUUID();
    writeFileSync(at(`${id}.json`), '{"id":');
    await start({ pollMs: 20 });
    writeFileSync(at(`${id}.json`), JSON.stringify(trigger({ id })));
    await settled(id, "done");
  });

  test("runs the first of several with one dedupe_key, also after it is done, per user", async () => {
    const first = write({ dedupe_key: "draft:1", created_at: "2026-01-01T00:01:00Z" });
    const second = write({ dedupe_key: "draft:1", created_at: "2026-01-01T00:02:00Z" });
    const other = write({ dedupe_key: "draft:1", user: "other@x.org" });
    await start({ pollMs: 20 });
    await settled(first, "done");
    await settled(second, "deduped");
    await settled(other, "done");
    const third = write({ dedupe_key: "draft:1", created_at: "2026-01-01T00:03:00Z" });
    await settled(third, "deduped");
    expect(handled.length).toBe(2);
    expect((await listTriggers(root(), { status: "deduped" })).items[0]?.reason).toContain(first);
  });

  test("runs a trigger again under the same key when the first failed permanently", async () => {
    const policy = { maxAttempts: 1, firstPauseMs: 1, longestPauseMs: 1 };
    const first = write({ dedupe_key: "k", created_at: "2026-01-01T00:01:00Z" });
    await start({
      policy,
      pollMs: 20,
      handle: async ({ trigger: { id } }) => (id === first ? { ok: false, reason: "no" } : done(id)),
    });
    await settled(first, "failed");
    await settled(write({ dedupe_key: "k" }), "done");
  });

  test("does not run an id again that was handled", async () => {
    const id = write();
    await start({ pollMs: 20 });
    await settled(id, "done");
    write({ id });
    await settled(id, "deduped");
    expect(handled.length).toBe(1);
  });

  test("reads the legacy file, entry by entry, and removes it", async () => {
    const [first, second] = [
      trigger({ created_at: "2026-01-01T00:01:00Z" }),
      trigger({ created_at: "2026-01-01T00:02:00Z" }),
    ];
    writeFileSync(
      join(dataDir, "rt-triggers.json"),
      JSON.stringify({ inbox: [second, first, { id: "bad" }], "../x": [] }),
    );
    await start({ pollMs: 20 });
    await settled(second.id, "done");
    expect(handled.map(({ trigger: { id } }) => id)).toEqual([first.id, second.id]);
    expect(readdirSync(at("_invalid"))).toEqual(["legacy-2.json", "legacy-2.reason.json"]);
    expect(readdirSync(dataDir).filter((name) => name.startsWith("rt-triggers"))).toEqual([]);
    writeFileSync(join(dataDir, "rt-triggers.json"), JSON.stringify({ inbox: [first] }));
    await vi.waitFor(() => expect(existsSync(join(dataDir, "rt-triggers.json"))).toBe(false), 10_000);
    expect(handled.length).toBe(2);
  });

  test("takes over the claims of a dead manager", async () => {
    const id = randomUUID();
    mkdirSync(at("_processing"), { recursive: true });
    writeFileSync(at("_processing", `${id}.a1.${randomUUID()}.json`), JSON.stringify(trigger({ id })));
    await start({ pollMs: 20 });
    await settled(id, "done");
    expect(handled).toMatchObject([{ attempt: 2 }]);
  });

  test("gives up a trigger whose process died at every attempt", async () => {
    const id = randomUUID();
    mkdirSync(at("_processing"), { recursive: true });
    writeFileSync(at("_processing", `${id}.a5.${randomUUID()}.json`), JSON.stringify(trigger({ id })));
    await start({ pollMs: 20 });
    await settled(id, "failed");
    expect(handled).toEqual([]);
  });
});

describe("channels", () => {
  const sent: Answer[] = [];
  const channels: Channels = {
    session: sessionChannel,
    teams: {
      needsTarget: true,
      deliver: async (answer) => {
        sent.push(answer);
        return ok(true);
      },
    },
  };

  test("would wait for ever, and everybody's triggers with them, when preferences.json is a pipe", async () => {
    mkdirSync(join(dataDir, "users", "pipe@x.org"), { recursive: true });
    execFileSync("mkfifo", [join(dataDir, "users", "pipe@x.org", "preferences.json")]);
    const piped = write({ user: "pipe@x.org" });
    const other = write({ routing: { channel: "teams", target: "chat:9" } });
    await start({ channels: () => channels });
    for (const id of [piped, other]) await settled(id, "done");
    expect(sent.splice(0).map(({ target }) => target)).toEqual(["chat:9"]);
  });

  test("get the answer, by the trigger's routing or the user's preferences", async () => {
    mkdirSync(join(dataDir, "users", "pref@x.org"), { recursive: true });
    writeFileSync(
      join(dataDir, "users", "pref@x.org", "preferences.json"),
      JSON.stringify({ routing: { channel: "teams", target: "chat:2" } }),
    );
    const routed = write({ routing: { channel: "teams", target: "chat:1" } });
    const preferred = write({ user: "pref@x.org" });
    const stored = write({ user: "stored@x.org" });
    const preferences = async (user: string) =>
      user === "stored@x.org" ? { routing: { channel: "teams", target: "chat:3" } } : undefined;
    await start({ channels: () => channels, preferences });
    for (const id of [routed, preferred, stored]) await settled(id, "done");
    expect(sent.map(({ target, trigger: { id } }) => [id, target]).sort()).toEqual(
      [
        [routed, "chat:1"],
        [preferred, "chat:2"],
        [stored, "chat:3"],
      ].sort(),
    );
  });

  test("that are unknown do not stop the work: it runs and is marked undelivered with the reason", async () => {
    const id = write({ routing: { channel: "pigeon", target: "x" } });
    await start();
    await settled(id, "done");
    expect((await listTriggers(root(), { status: "done" })).items).toMatchObject([
      { id, delivered: false, channel: "pigeon", reason: expect.stringMatching(/no channel "pigeon"/) },
    ]);
  });

  test("of the kind webhook are signed, retried, and refused addresses are not", async () => {
    const answers = [500, 200];
    const asked: { url: string; headers: Record<string, string>; body: string }[] = [];
    const webhook = webhookChannel({
      secret: "s3cret",
      now: () => new Date(1_700_000_000_000),
      wait: async () => {},
      fetch: async (url, options) => {
        if (url.includes("10.0.0.1")) return fail("url_refused", { url, why: "it is private" });
        asked.push({ url, headers: options?.headers ?? {}, body: String(options?.body) });
        return ok(new Response("", { status: answers.shift() ?? 200 }));
      },
    });
    const about = { trigger: trigger(), capability: "inbox", sessionId: "s", answer: "Done." };
    expect(await webhook.deliver({ ...about, target: "https://x.org/hook" })).toEqual(ok(true));
    expect(asked.length).toBe(2);
    expect(asked[0]?.headers["capstan-signature"]).toBe(
      signature("s3cret", asked[0]?.body ?? "", new Date(1_700_000_000_000)),
    );
    expect(JSON.parse(asked[0]?.body ?? "{}")).toMatchObject({
      id: about.trigger.id,
      answer: "Done.",
      session_id: "s",
    });
    expect(await webhook.deliver({ ...about, target: "https://10.0.0.1/" })).toMatchObject({
      failure: { code: "url_refused" },
    });
  });
});

test("the channel teams posts a message with the trigger's target, and never shows its address", async () => {
  const answers = [500, 200, 500, 500, 500];
  const bodies: string[] = [];
  const teams = teamsChannel({
    url: "https://example.com/hook/s3cret",
    wait: async () => {},
    fetch: async (_, options) => {
      bodies.push(String(options?.body));
      return ok(new Response("", { status: answers.shift() ?? 200 }));
    },
  });
  const about = { trigger: trigger(), capability: "inbox", sessionId: "s", answer: "Done." };
  expect(await teams.deliver({ ...about, target: "chat:19:abc" })).toEqual(ok(true));
  expect(JSON.parse(bodies[1] ?? "")).toMatchObject({
    type: "message",
    text: "Done.",
    target: "chat:19:abc",
    attachments: [{ content: { body: [{ type: "TextBlock", text: "Done." }] } }],
  });
  const refused = await teams.deliver(about);
  expect(refused).toMatchObject({ failure: { code: "network_error" } });
  expect(JSON.stringify(refused)).not.toContain("s3cret");
});

describe("people", () => {
  test("see every state, and retry or drop what failed", async () => {
    const policy = { maxAttempts: 1, firstPauseMs: 1, longestPauseMs: 1 };
    const [first, second] = [
      write({ created_at: "2026-01-01T00:01:00Z" }),
      write({ created_at: "2026-01-01T00:02:00Z" }),
    ];
    let works = false;
    await start({
      policy,
      pollMs: 20,
      handle: async ({ trigger: { id } }) => (works ? done(id) : { ok: false, reason: "no" }),
    });
    await settled(first, "failed");
    await settled(second, "failed");
    works = true;
    expect(await retryTrigger(root(), first)).toMatchObject({
      ok: true,
      value: { status: "pending", attempts: 0 },
    });
    await settled(first, "done");
    expect(await dropTrigger(root(), second)).toMatchObject({ ok: true, value: { status: "dropped" } });
    expect(await retryTrigger(root(), first)).toMatchObject({ failure: { code: "not_found" } });
    const { items, total } = await listTriggers(root());
    expect([total, items.map(({ id, status }) => `${id} ${status}`).sort()]).toEqual([
      2,
      [`${first} done`, `${second} dropped`].sort(),
    ]);
  });

  test("find old done triggers pruned, and failed ones kept", async () => {
    const id = write();
    await start();
    await settled(id, "done");
    mkdirSync(at("_failed"), { recursive: true });
    writeFileSync(at("_failed", "x.json"), "{}");
    expect(await pruneTriggers(root(), Date.now() - 60_000)).toBe(0);
    expect(await pruneTriggers(root(), Date.now() + 60_000)).toBe(2);
    expect([readdirSync(at("_done")), readdirSync(at("_failed"))]).toEqual([[], ["x.json"]]);
  });
});

const root = () => join(dataDir, "rt_triggers");
const at = (...parts: string[]) => join(root(), "inbox", ...parts);
const done = (id = ""): HandleOutcome => ({ ok: true, sessionId: `session-of-${id}`, answer: "Done." });

const write = (change: object = {}, name?: string) => writeTrigger(at(), change, name);

async function start(change: Partial<TriggerManagerOptions> = {}): Promise<TriggerManager> {
  const manager = new TriggerManager({
    dataDir,
    handle: async (each) => {
      handled.push(each);
      return done(each.trigger.id);
    },
    channels: () => ({ session: sessionChannel }),
    now: Date.now,
    onError: (error) => {
      throw error;
    },
    pollMs: 100,
    ...change,
  });
  managers.push(manager);
  await manager.start();
  return manager;
}

async function settled(id: string, status: "done" | "failed" | "deduped", timeout = 10_000): Promise<void> {
  await vi.waitFor(() => expect(existsSync(at(`_${status}`, `${id}.json`))).toBe(true), {
    timeout,
    interval: 10,
  });
}
