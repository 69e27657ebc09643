import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { readableCopies } from "../../../../tools/packages/readable-copy.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { pack } from "../../../cli/src/new/pack.ts";
import { scaffold } from "../../../cli/src/new/scaffold.ts";

const copies = readableCopies();
const EVERYTHING = copies.packageFile("@modelcontextprotocol/server-everything", "dist/index.js");
afterAll(() => copies.remove());

describe("packages in the server", () => {
  let folder: string;
  let store: FreshStore;
  let server: TestServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "capstan-packages-"));
    store = await freshPglite();
    server = await testServer(store);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const wheel = async (name: string): Promise<string> => {
    const made = await scaffold({ type: "cli", name, language: "python", into: folder });
    if (!made.ok) throw new Error(made.failure.message);
    const packed = await pack(made.value.folder, folder);
    if (!packed.ok) throw new Error(packed.failure.message);
    return readFileSync(packed.value.path).toString("base64");
  };

  test("a Python wheel is reviewed, installed with consent, called, routed to, and uninstalled", {
    timeout: 120_000,
  }, async () => {
    const source = { source: "capstan_cli_weather-0.1.0-py3-none-any.whl", bytes: await wheel("weather") };
    const review = await server.call("POST", "/v1/packages/review", source);
    expect(review).toMatchObject({
      status: 200,
      body: {
        name: "capstan-cli-weather",
        version: "0.1.0",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    const refused = await server.call("POST", "/v1/packages", source);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    const installed = await server.call("POST", "/v1/packages", {
      ...source,
      yes: true,
      grant: review.body.scopes,
    });
    expect(installed.status).toBe(201);
    const capability = installed.body.description.capability;
    const detail = await server.call("GET", `/v1/capabilities/${capability}`);
    expect(detail.body.tools.map(({ name }: { name: string }) => name)).toEqual([
      "weather_stats",
      "weather_save",
    ]);
    const task = "weather: count the lines and words of a text file";
    const routed = await server.call("POST", "/v1/route", { task });
    expect(routed.body.plan[0]).toMatchObject({
      capabilityId: capability,
      route: expect.stringMatching(/weather_stats$/),
    });
    const agent = await server.call("POST", "/v1/agents", { name: "Counter", capabilities: [capability] });
    const token = await server.call("POST", `/v1/agents/${agent.body.id}/tokens`, { name: "test" });
    await callTool(token.body.token, "weather_save", { file_path: "/log.txt", text: "wind from the west" });
    expect(await callTool(token.body.token, "weather_stats", { file_path: "/log.txt" })).toMatchObject({
      words: 4,
    });
    const log = await server.call("GET", "/v1/audit");
    expect(log.body.items).toContainEqual(
      expect.objectContaining({ action: "package.installed", subject: "capstan-cli-weather" }),
    );
    const refusedToo = await server.call("DELETE", "/v1/packages/capstan-cli-weather");
    expect(refusedToo).toMatchObject({ status: 409, body: { code: "capability_in_use" } });
    expect(refusedToo.body.message).toContain("Counter");
    const gone = await server.call("DELETE", "/v1/packages/capstan-cli-weather?force=true");
    expect(gone).toMatchObject({ status: 200, body: { broken: [{ name: "Counter" }] } });
    expect((await server.call("GET", `/v1/capabilities/${capability}`)).status).toBe(404);
  });

  /** Like a client of the agent's MCP endpoint, in the session of its token. */
  const callTool = async (bearer: string, name: string, args: object): Promise<unknown> => {
    const { body } = await server.call(
      "POST",
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      {
        authorization: `Bearer ${bearer}`,
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
    );
    const text = typeof body === "string" ? (/^data: (.*)$/m.exec(body)?.[1] ?? "{}") : JSON.stringify(body);
    const { result } = JSON.parse(text);
    expect(result.isError ?? false, text).toBe(false);
    return result.structuredContent;
  };

  test("a real MCP server is installed, and its tools are called through the gate", {
    timeout: 120_000,
  }, async () => {
    const source = { source: `"${process.execPath}" "${EVERYTHING}"`, kind: "mcp", run_to_describe: true };
    const installed = await server.call("POST", "/v1/packages", { ...source, yes: true });
    expect(installed.status).toBe(201);
    const id = installed.body.description.capability;
    const called = await server.call("POST", `/v1/capabilities/${id}/tools/echo`, {
      input: { message: "ahoy" },
    });
    expect(JSON.stringify(called.body)).toContain("ahoy");
    expect((await server.call("DELETE", `/v1/packages/${installed.body.name}`)).status).toBe(200);
  });

  test("an update that would break agents is refused with who would break, unless forced, and then says so", async () => {
    const install = (version: string, more: object = {}, query = "") => {
      const tools = [{ name: "moor", description: "Moors.", method: "GET", path: "/moor" }];
      const document = { id: "jetty", name: "Jetty", description: "A jetty.", version, tools, ...more };
      const bytes = Buffer.from(JSON.stringify({ base_url: "https://example.com", ...document }));
      const source = { source: "jetty.json", kind: "document", bytes: bytes.toString("base64"), yes: true };
      return server.call("POST", `/v1/packages${query}`, source);
    };
    const version = async () => (await server.call("GET", "/v1/capabilities/jetty")).body.version;
    const unusable = await install("1.0.0", { dependencies: ["no_such"] });
    expect(unusable).toMatchObject({ status: 422, body: { code: "capability_unknown" } });
    expect((await install("1.2.0")).status).toBe(201);
    expect((await install("1.1.0")).body.code).toBe("capability_older");
    const beside = { id: "pier", name: "Pier", description: "A pier.", base_url: "https://example.com" };
    const tools = ["moor", "anchor"].map((name) => ({
      name,
      description: "Does.",
      method: "GET",
      path: "/",
    }));
    await server.call("POST", "/v1/capabilities", { ...beside, tools: tools.slice(1) });
    const { body: agent } = await server.call("POST", "/v1/agents", {
      name: "Moored",
      capabilities: ["jetty", "pier"],
    });
    const breaking = await install("2.0.0", { tools });
    expect(breaking).toMatchObject({ status: 409, body: { code: "capability_breaks" } });
    expect(breaking.body.message).toContain("Moored (");
    expect(await version()).toBe("1.2.0");
    expect((await install("1.3.0")).body).toMatchObject({ version: "1.3.0", broken: [] });
    const forced = await install("2.0.0", { tools }, "?force=true");
    expect(forced).toMatchObject({ status: 201, body: { broken: [{ id: agent.id, name: "Moored" }] } });
    expect(await version()).toBe("2.0.0");
    await server.call("DELETE", "/v1/packages/jetty?force=true");
  });

  test("an invalid archive is refused, and nothing is left behind", async () => {
    const answer = await server.call("POST", "/v1/packages/review", {
      source: "aech_cli_x-1.0.0-py3-none-any.whl",
      bytes: Buffer.from("not a zip").toString("base64"),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.nextStep).toEqual(expect.stringMatching(/.+/));
    expect((await server.call("GET", "/v1/packages")).body.total).toBe(0);
  });

  test("a trigger file becomes a session of its user, once", { timeout: 60_000 }, async () => {
    const id = crypto.randomUUID();
    const outbox = join(store.dataDir, "rt_triggers", "current_time");
    mkdirSync(outbox, { recursive: true });
    writeFileSync(
      join(outbox, `${id}.json.tmp`),
      JSON.stringify({
        id,
        user: "ann@example.com",
        type: "tick",
        created_at: new Date().toISOString(),
        payload: { say: "what time is it" },
      }),
    );
    renameSync(join(outbox, `${id}.json.tmp`), join(outbox, `${id}.json`));
    await expect
      .poll(
        async () =>
          (await server.call("GET", "/v1/triggers?status=done")).body.items.map(
            (item: { id: string }) => item.id,
          ),
        { timeout: 30_000 },
      )
      .toContain(id);
    expect((await server.call("GET", `/v1/sessions/${id}`)).body).toMatchObject({
      owner: "ann@example.com",
      title: "tick from current_time",
    });
    expect((await server.call("GET", `/v1/sessions/${id}/runs`)).body.total).toBe(1);
  });

  test("a capability with a tool `deliver` is a channel; with an unknown one the work is done and the reason given", async () => {
    const told: unknown[] = [];
    server.services.registry.register(
      defineCapability({
        id: "teams",
        name: "Teams",
        description: "Writes into chats.",
        source: "declarative",
        tools: [
          defineTool({
            name: "deliver",
            description: "Writes a text into a chat.",
            input: z.strictObject({ target: z.string(), text: z.string(), type: z.string() }),
            run: (input) => {
              told.push(input);
              return ok("sent");
            },
          }),
        ],
      }),
    );
    const outbox = join(store.dataDir, "rt_triggers", "current_time");
    const send = (channel: string) => {
      const id = crypto.randomUUID();
      const trigger = {
        id,
        user: "bob@example.com",
        type: "tick",
        created_at: new Date().toISOString(),
        routing: { channel, target: "chat:42" },
      };
      writeFileSync(join(outbox, `${id}.json.tmp`), JSON.stringify(trigger));
      renameSync(join(outbox, `${id}.json.tmp`), join(outbox, `${id}.json`));
      return id;
    };
    const done = async (id: string) =>
      (await server.call("GET", "/v1/triggers?status=done")).body.items.find(
        (item: { id: string }) => item.id === id,
      );
    const known = send("teams");
    await expect.poll(() => done(known), { timeout: 30_000 }).toMatchObject({ delivered: true });
    expect(told).toEqual([{ target: "chat:42", text: expect.stringMatching(/.+/), type: "tick" }]);
    const unknown = send("pigeon");
    await expect
      .poll(() => done(unknown), { timeout: 30_000 })
      .toMatchObject({ delivered: false, reason: expect.stringContaining("pigeon") });
  });

  test("a schedule is stored and listed; an invalid expression is refused", async () => {
    const made = await server.call("POST", "/v1/schedules", {
      capability: "current_time",
      cron: "0 9 * * 1",
    });
    expect(made.status).toBe(201);
    expect((await server.call("GET", "/v1/schedules")).body.items).toHaveLength(1);
    expect(
      (await server.call("POST", "/v1/schedules", { capability: "current_time", cron: "every day" })).status,
    ).toBeGreaterThanOrEqual(400);
    expect((await server.call("DELETE", `/v1/schedules/${made.body.id}`)).status).toBe(204);
  });

  test("sessions of triggers use the revision that the agent pins for them, or the label", async () => {
    const fields = { name: "Clock", capabilities: ["current_time"], triggers_follow: { revision: 1 } };
    const agent = (await server.call("POST", "/v1/agents", fields)).body;
    const at = `/v1/agents/${agent.id}`;
    expect((await server.call("PATCH", at, { system_prompt: "Newer." })).body.version).toBe(2);
    const schedule = { capability: "current_time", cron: "0 9 1 1 *" };
    const made = (await server.call("POST", "/v1/schedules", schedule)).body;
    const follows = async () => {
      const { session_id } = (await server.call("POST", `/v1/schedules/${made.id}/run`)).body;
      const session = async () => (await server.call("GET", `/v1/sessions/${session_id}`)).body;
      await expect.poll(async () => (await session()).agent_id, { timeout: 20_000 }).toBe(agent.id);
      return (await session()).follows;
    };
    expect(await follows()).toEqual({ revision: 1 });
    await server.call("PATCH", at, { triggers_follow: { label: "live" } });
    expect(await follows()).toEqual({ label: "live" });
    await server.call("PATCH", at, { triggers_follow: null });
    expect(await follows()).toBeNull();
    await server.call("DELETE", `/v1/schedules/${made.id}`);
    await server.call("DELETE", at);
  });

  test("a schedule tells the agent that was chosen what to do, and says when it is gone", async () => {
    const agent = async (name: string) =>
      (await server.call("POST", "/v1/agents", { name, capabilities: ["current_time"] })).body.id;
    const [chosen, newer] = [await agent("Chosen"), await agent("Newer")];
    const fields = { capability: "current_time", cron: "0 9 1 1 *", payload: { message: "Say the time." } };
    const make = (agent_id: string) => server.call("POST", "/v1/schedules", { ...fields, agent_id });
    expect((await make(crypto.randomUUID())).body.code).toBe("not_found");
    const made = (await make(chosen)).body;
    expect(made).toMatchObject({ agent_id: chosen, agent: { name: "Chosen" } });
    const { session_id } = (await server.call("POST", `/v1/schedules/${made.id}/run`)).body;
    const session = async () => (await server.call("GET", `/v1/sessions/${session_id}`)).body;
    await expect.poll(async () => (await session()).agent_id, { timeout: 20_000 }).toBe(chosen);
    expect((await session()).title).toBe("Say the time.");
    const said = await server.call("GET", `/v1/sessions/${session_id}/messages`);
    expect(said.body.items[0].content).toEqual([{ type: "text", text: "Say the time." }]);
    await server.call("DELETE", `/v1/agents/${chosen}`);
    const path = `/v1/schedules/${made.id}`;
    const listed = await server.call("GET", `/v1/schedules?q=current_time`);
    expect(listed.body.items[0]).toMatchObject({ agent_id: chosen, agent: null });
    const changed = await server.call("PATCH", path, { agent_id: newer });
    expect(changed.body.agent.name).toBe("Newer");
    await server.call("DELETE", path);
    await server.call("DELETE", `/v1/agents/${newer}`);
  });

  test("a schedule is run now, reports the outcome, and is paused and resumed", async () => {
    const made = await server.call("POST", "/v1/schedules", {
      capability: "current_time",
      cron: "0 9 1 1 *",
    });
    const path = `/v1/schedules/${made.body.id}`;
    const read = async () =>
      (await server.call("GET", "/v1/schedules")).body.items.find(
        ({ id }: { id: string }) => id === made.body.id,
      );
    expect(await read()).toMatchObject({
      last_run: null,
      next_run_at: expect.stringMatching(/-01-01T09:00/),
    });
    const fired = await server.call("POST", `${path}/run`);
    expect(fired.status).toBe(202);
    await expect.poll(async () => (await read()).last_run?.status, { timeout: 20_000 }).toBe("done");
    const after = await read();
    expect(after.last_run.session_id).toBe(fired.body.session_id);
    expect(after.agent.name).toMatch(/triggers/);
    const paused = await server.call("PATCH", path, { enabled: false });
    expect(paused.body).toMatchObject({ enabled: false, next_run_at: null });
    expect((await server.call("PATCH", path, { enabled: true })).body.next_run_at).not.toBeNull();
    const moved = await server.call("PATCH", path, { cron: "0 10 1 1 *" });
    expect(moved.body.next_run_at).toMatch(/-01-01T10:00/);
    expect((await server.call("PATCH", path, { cron: "at noon" })).status).toBe(422);
    expect((await server.call("POST", "/v1/schedules", after)).status).toBe(201);
    expect((await server.call("POST", "/v1/schedules/nothing/run")).status).toBe(404);
    await server.call("DELETE", path);
  });
});
