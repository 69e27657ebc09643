import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPostgres, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const document = (port: number, version = "1.0.0") => ({
  id: "tides",
  name: "Tides",
  description: "Tide times of a harbour.",
  version,
  prompt: "Use tide_times for tides.",
  base_url: `http://127.0.0.1:${port}`,
  tools: [
    {
      name: "tide_times",
      description: "Tide times.",
      method: "GET",
      path: "/tides/{harbour}",
      parameters: { harbour: { in: "path", type: "string", required: true } },
    },
  ],
});

describe.each(STORES)("declarative capabilities, on $name", ({ fresh }) => {
  let tides: Server;
  let port: number;
  let store: FreshStore;
  let server: TestServer;
  beforeAll(async () => {
    tides = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      const { authorization } = request.headers;
      response.end(JSON.stringify({ asked: request.url, ...(authorization && { authorization }) }));
    });
    await new Promise<void>((resolve) => tides.listen(0, "127.0.0.1", resolve));
    port = (tides.address() as AddressInfo).port;
    store = await fresh();
    server = await testServer(store, {
      CAPSTAN_ALLOW_HOSTS: `127.0.0.1:${port}`,
      CAPSTAN_SECRET_TIDE_KEY: "k-123456",
      CAPSTAN_SECRET_HOSTS: `TIDE_KEY=127.0.0.1:${port}`,
    });
  });
  afterAll(async () => {
    await server.stop();
    tides.close();
  });

  test("a version that would break agents is refused with who would break, unless forced, and then says so", async () => {
    const register = (version: string, more: object = {}, query = "") =>
      server.call("POST", `/v1/capabilities${query}`, { ...document(port, version), id: "piers", ...more });
    expect((await register("1.2.0")).status).toBe(201);
    const agent = (capabilities: unknown[], name: string) =>
      server.call("POST", "/v1/agents", { name, capabilities });
    await agent([{ id: "piers", version: "^1.0.0" }], "Pinned");
    const { body: adder } = await agent(["piers", "test_math"], "Adder");
    const older = await register("1.1.0");
    expect(older).toMatchObject({ status: 409, body: { code: "capability_older" } });
    const [tool] = document(port).tools;
    const clash = { tools: [{ ...tool, name: "add" }] };
    const conflict = await register("2.0.0", clash);
    expect(conflict).toMatchObject({ status: 409, body: { code: "capability_breaks" } });
    expect(conflict.body.message).toContain("Adder (");
    expect((await server.call("GET", "/v1/capabilities/piers")).body.version).toBe("1.2.0");
    const forced = await register("2.0.0", clash, "?force=true");
    expect(forced).toMatchObject({ status: 200, body: { broken: [{ id: adder.id, name: "Adder" }] } });
    expect((await register("1.2.0", {}, "?force=true")).body.broken).toEqual([]);
    const gone = await server.call("DELETE", "/v1/capabilities/piers");
    expect(gone).toMatchObject({ status: 409, body: { code: "capability_in_use" } });
    const removed = await server.call("DELETE", "/v1/capabilities/piers?force=true");
    expect(removed.body.broken.map(({ name }: { name: string }) => name).sort()).toEqual(["Adder", "Pinned"]);
  });

  test.each([
    ["a dependency that is not there", ["no_such"], "capability_unknown"],
    ["itself as a dependency", ["quays"], "capability_cycle"],
  ])("%s is refused, unless forced", async (_what, dependencies, code) => {
    const quays = { ...document(port), id: "quays", dependencies };
    expect(await server.call("POST", "/v1/capabilities", quays)).toMatchObject({
      status: 422,
      body: { code },
    });
    expect((await server.call("GET", "/v1/capabilities/quays")).status).toBe(404);
    expect((await server.call("POST", "/v1/capabilities?force=true", quays)).status).toBe(201);
    expect((await server.call("DELETE", "/v1/capabilities/quays")).status).toBe(204);
  });

  test("a tool of a capability that is not there is 404", async () => {
    expect(await server.call("POST", "/v1/capabilities/nothing/tools/add", { input: {} })).toMatchObject({
      status: 404,
      body: { code: "capability_unknown" },
    });
  });

  test("are registered, called through the gate, replaced, and removed once unused", async () => {
    expect((await server.call("POST", "/v1/capabilities", document(port))).status).toBe(201);
    const called = await server.call("POST", "/v1/capabilities/tides/tools/tide_times", {
      input: { harbour: "Wick Bay" },
    });
    expect(called.body.output.body).toEqual({ asked: "/tides/Wick%20Bay" });
    expect(await server.call("POST", "/v1/capabilities", document(port, "1.1.0"))).toMatchObject({
      status: 200,
      body: { version: "1.1.0" },
    });
    const agent = await server.call("POST", "/v1/agents", { name: "Sailor", capabilities: ["tides"] });
    expect(await server.call("DELETE", "/v1/capabilities/tides")).toMatchObject({
      status: 409,
      body: { code: "capability_in_use" },
    });
    await server.call("DELETE", `/v1/agents/${agent.body.id}`);
    expect((await server.call("DELETE", "/v1/capabilities/tides")).status).toBe(204);
    expect((await server.call("GET", "/v1/capabilities/tides")).status).toBe(404);
  });

  test("use only the named secrets of the server, which nobody sees, and no other variable", async () => {
    const secretive = (id: string, name: string) => ({
      ...document(port),
      id,
      headers: { authorization: `Bearer \${${name}}` },
    });
    await server.call("POST", "/v1/capabilities", secretive("with_key", "TIDE_KEY"));
    const call = (id: string) =>
      server.call("POST", `/v1/capabilities/${id}/tools/tide_times`, { input: { harbour: "Wick" } });
    expect((await call("with_key")).body.output.body).toEqual({
      asked: "/tides/Wick",
      authorization: "Bearer [secret]",
    });
    await server.call("POST", "/v1/capabilities", secretive("prying", "CAPSTAN_DATA_DIR"));
    const prying = await call("prying");
    expect(prying.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(prying.body)).toContain("CAPSTAN_DATA_DIR");
  });

  test("with faults are refused with the path of each", async () => {
    const answer = await server.call("POST", "/v1/capabilities", {
      ...document(port),
      id: "Bad Id",
      tools: [{ name: "x" }],
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(answer.body)).toMatch(/tools/);
  });

  test("cannot replace a built-in", async () => {
    expect((await server.call("POST", "/v1/capabilities", { ...document(port), id: "sandbox" })).status).toBe(
      409,
    );
  });

  test("are found in the data folder, and removed with their file", async () => {
    const folder = `${store.dataDir}/capabilities`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/tides.json`, JSON.stringify({ ...document(port), id: "tides_file" }));
    await server.services.documents.refresh();
    expect((await server.call("GET", "/v1/capabilities/tides_file")).status).toBe(200);
    rmSync(`${folder}/tides.json`);
    await server.services.documents.refresh();
    expect((await server.call("GET", "/v1/capabilities/tides_file")).status).toBe(404);
  });

  test("in the data folder stay as they are while agents would break, and the fault says which", async () => {
    const folder = `${store.dataDir}/capabilities`;
    const { documents } = server.services;
    const write = async (version: string) => {
      const file = `${folder}/buoys.json`;
      writeFileSync(file, JSON.stringify({ ...document(port, version), id: "buoys" }));
      utimesSync(file, new Date(), new Date(Date.now() + writes++ * 1000)); // two writes within one tick of the clock
      await documents.refresh();
    };
    let writes = 1;
    const version = async () => (await server.call("GET", "/v1/capabilities/buoys")).body.version;
    mkdirSync(folder, { recursive: true });
    await write("1.0.0");
    const capabilities = [{ id: "buoys", version: "^1.0.0" }];
    const { body: agent } = await server.call("POST", "/v1/agents", { name: "Floater", capabilities });
    await write("2.0.0");
    expect(await version()).toBe("1.0.0");
    expect(documents.faults()).toEqual([
      { file: "buoys.json", why: expect.stringContaining("Floater (The agent pins") },
    ]);
    await write("0.9.0");
    expect(documents.faults()).toEqual([
      { file: "buoys.json", why: expect.stringContaining("is older than 1.0.0") },
    ]);
    await write("1.1.0");
    expect([await version(), documents.faults()]).toEqual(["1.1.0", []]);
    rmSync(`${folder}/buoys.json`);
    await documents.refresh();
    expect(await version()).toBe("1.1.0");
    expect(documents.faults()).toEqual([
      { file: "buoys.json", why: expect.stringContaining('it was deleted, but "buoys" is used by Floater') },
    ]);
    await server.call("DELETE", `/v1/agents/${agent.id}`);
    await documents.refresh();
    expect([await version(), documents.faults()]).toEqual([undefined, []]);
  });
});

describe("two processes on one Postgres", () => {
  test("share registrations within a second", async () => {
    const store = await freshPostgres();
    const [first, second] = await Promise.all([
      serverProcess(store),
      serverProcess({ ...store, dataDir: `${store.dataDir}/second` }),
    ]);
    await first.call("POST", "/v1/capabilities", document(9));
    await expect
      .poll(async () => (await second.call("GET", "/v1/capabilities/tides")).status, { timeout: 5000 })
      .toBe(200);
    await first.call("DELETE", "/v1/capabilities/tides");
    await expect
      .poll(async () => (await second.call("GET", "/v1/capabilities/tides")).status, { timeout: 5000 })
      .toBe(404);
    await Promise.all([first.end(), second.end()]);
    await store.drop();
  });
});
