/** Attacks by a page of another site, or by anyone who can reach the socket. Raw HTTP: `fetch` does not allow forged headers. */
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let store: FreshStore;
let server: TestServer;
let host: string;
let session: string;
beforeAll(async () => {
  store = await freshPglite();
  server = await testServer(store, { CAPSTAN_FILE_LIMIT_BYTES: "100000" });
  host = new URL(server.url).host;
  session = (await server.call("POST", "/v1/sessions", {})).body.id;
});
afterAll(() => server.stop());

describe("a page of another site would use the visitor's loopback server", () => {
  const port = () => host.split(":")[1] ?? "";
  test.each<[string, () => Record<string, string>]>([
    ["by a name it points at us (DNS rebinding)", () => ({ host: `evil.example:${port()}` })],
    ["by a name that starts like ours", () => ({ host: `127.0.0.1.evil.example:${port()}` })],
    ["by a name that ends like ours", () => ({ host: `evil-localhost:${port()}` })],
    ["by userinfo that looks like ours", () => ({ host: `127.0.0.1@evil.example:${port()}` })],
    ["with its own Origin", () => ({ host, origin: "https://evil.example" })],
    ["from a sandboxed frame", () => ({ host, origin: "null" })],
    ["from another port of this machine", () => ({ host, origin: "http://127.0.0.1:1" })],
    ["from our name on another scheme's port", () => ({ host, origin: "https://127.0.0.1" })],
    ["with an Origin that only starts like ours", () => ({ host, origin: `http://${host}.evil.example` })],
  ])("%s", async (_how, headers) => {
    const answer = await raw("GET", "/v1/agents", headers());
    expect([400, 403]).toContain(answer.status);
    expect(answer.text).not.toContain('"items"');
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "with a form it need not ask for (content type %j)",
    async (type) => {
      const before = (await server.call("GET", "/v1/agents")).body.total;
      const headers = { host, origin: "https://evil.example", "content-type": type };
      const body = JSON.stringify({ name: "planted" });
      expect((await raw("POST", "/v1/agents", headers, body)).status).toBe(403);
      const sameSite = await raw("POST", "/v1/agents", { host, "content-type": type }, body);
      expect(sameSite.status).toBeGreaterThanOrEqual(400);
      expect((await server.call("GET", "/v1/agents")).body.total).toBe(before);
    },
  );

  test.each(["HTTP/1.0", "HTTP/1.1"])("with no Host at all, over %s", async (version) => {
    expect(await bytes(`GET /v1/agents ${version}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 40[03]/);
  });

  test("no answer invites another origin to read it, and a preflight gets no yes", async () => {
    const asks = { host, origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const answer of [await raw("OPTIONS", "/v1/agents", asks), await raw("GET", "/v1/agents", { host })])
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a GET that changes something would be one image tag away", async () => {
    const document = (await server.call("GET", "/openapi.json")).body;
    const reads = Object.entries<Record<string, { summary: string }>>(document.paths).flatMap(
      ([path, { get }]) => (get ? [`${path}: ${get.summary}`] : []),
    );
    expect(
      reads.filter((route) => /: (make|delete|remove|start|stop|install|send|set)\b/i.test(route)),
    ).toEqual([]);
  });
});

describe("a header of ours would carry someone's second header", () => {
  test.each(["a\r\nset-cookie: x=1", "a\nx-evil: 1", 'a"; filename="b.html', "a\u2028b", "naïve\u0085.txt"])(
    "in the name of a downloaded file (%j)",
    async (name) => {
      const path = `/v1/sessions/${session}/files/${encodeURIComponent(name)}`;
      const put = await raw("PUT", path, { host }, "<script>alert(1)</script>");
      if (put.status >= 400) return; // refused is as good
      const { headers, status } = await raw("GET", path, { host });
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty("set-cookie");
      expect(headers).not.toHaveProperty("x-evil");
      expect(headers["content-disposition"]).toMatch(/^attachment; filename\*=UTF-8''[\w%.!~*'()-]+$/);
      expect(headers).toMatchObject({
        "content-type": "application/octet-stream",
        "x-content-type-options": "nosniff",
      });
    },
  );

  test("in the ids that AG-UI's answer names", async () => {
    const agent = await server.call("POST", "/v1/agents", { name: "A" });
    const threadId = "t\r\nset-cookie: x=1";
    const input = {
      threadId,
      runId: "r\r\nx-evil: 1",
      messages: [{ id: "m", role: "user", content: "hi" }],
      tools: [],
      context: [],
    };
    const answer = await raw(
      "POST",
      `/v1/agents/${agent.body.id}/ag-ui`,
      { host, "content-type": "application/json" },
      JSON.stringify(input),
    );
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expect(answer.headers).not.toHaveProperty("x-evil");
    expect(answer.status).toBeLessThan(500);
  });

  test("a request that is two requests is refused by the socket", async () => {
    const smuggled = `POST /v1/agents HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/keys HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const answer = await bytes(smuggled);
    expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
  });
});

describe("a body without an end would fill the memory", () => {
  test.each([
    ["with a length", { "content-length": String(5 * 1024 * 1024) }],
    ["without one", {}],
  ])("as JSON, %s", async (_how, headers) => {
    const body = `{"name":"${"a".repeat(5 * 1024 * 1024)}"}`.slice(0, 5 * 1024 * 1024);
    const answer = await raw(
      "POST",
      "/v1/agents",
      { host, "content-type": "application/json", ...headers },
      body,
    );
    expect(answer).toMatchObject({ status: 413 });
  });

  test.each(["content-length", "chunked"])("as a file, %s", async (how) => {
    const body = "x".repeat(200_000);
    const headers = how === "chunked" ? { "transfer-encoding": "chunked" } : { "content-length": "200000" };
    expect(
      (await raw("PUT", `/v1/sessions/${session}/files/big.bin`, { host, ...headers }, body)).status,
    ).toBe(413);
    expect((await server.call("GET", `/v1/sessions/${session}/files/big.bin`)).status).toBe(404);
  });

  test("as JSON that is nothing but depth", async () => {
    const depth = 200_000;
    const body = `{"name":"n","metadata":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    const answer = await raw("POST", "/v1/agents", { host, "content-type": "application/json" }, body);
    expect(answer.status).toBe(400);
  });

  test("as headers", async () => {
    expect((await raw("GET", "/v1/agents", { host, "x-long": "a".repeat(40_000) })).status).toBe(431);
  });
});

describe("a key of a JSON body would become a member of every object", () => {
  const POISON = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  test.each([
    ["an agent", "POST", "/v1/agents", `{"name":"P","metadata":${POISON},"__proto__":{"polluted":1}}`],
    ["a session's state", "POST", "/v1/sessions", `{"state":${POISON},"metadata":${POISON}}`],
    [
      "a tool's input",
      "POST",
      "/v1/capabilities/test_math/tools/add",
      `{"input":{"a":1,"b":2,"__proto__":{"polluted":1}},"config":${POISON}}`,
    ],
    [
      "a task",
      "POST",
      "/api/execute-task",
      `{"task":"add 1 and 2","payload":${POISON},"__proto__":{"polluted":1}}`,
    ],
    ["a user's preferences", "PUT", "/v1/users/p@example.com", `{"preferences":${POISON}}`],
    [
      "a capability document",
      "POST",
      "/v1/capabilities",
      `{"id":"p","name":"P","description":"P","tools":[],"__proto__":{"polluted":1},"config_schema":${POISON}}`,
    ],
  ])("in %s", async (_where, method, path, body) => {
    const answer = await raw(method, path, { host, "content-type": "application/json" }, body);
    expect(answer.status).toBeLessThan(500);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe("a path would leave its place", () => {
  test.each([
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/capstan.pid",
    "..%5c..%5cetc",
    "a/../../../x",
    "%252e%252e%252fx",
    "/etc/passwd",
  ])("of a session's file (%s)", async (path) => {
    const answer = await raw("GET", `/v1/sessions/${session}/files/${path}`, { host });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/root:|^\d+\n$/);
    await raw("PUT", `/v1/sessions/${session}/files/${path}`, { host }, "planted");
    expect(existsSync(join(store.dataDir, "..", "x"))).toBe(false);
    expect(readdirSync(store.dataDir)).not.toContain("x");
  });

  test.each([
    "/../package.json",
    "/assets/..%2f..%2fpackage.json",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%5c..%5cx",
  ])("of the studio's files (%s)", async (path) => {
    const answer = await bytes(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    expect(answer).not.toMatch(/root:|"workspaces"|"dependencies"/);
  });

  test.each([
    ["a user", "PUT", "/v1/users/..%2f..%2fevil@example.com", "{}"],
    ["a package", "DELETE", "/v1/packages/..%2f..%2fusers", undefined],
    ["a service", "GET", "/v1/services/..%2f..%2fetc/logs", undefined],
    ["a trigger", "POST", "/v1/triggers/..%2f..%2fevil/drop", undefined],
    ["a coding agent", "GET", "/v1/coding-agents/..%2f..%2fetc/sessions", undefined],
  ])("named by %s", async (_what, method, path, body) => {
    const before = readdirSync(store.dataDir).sort();
    const answer = await raw(method, path, { host, "content-type": "application/json" }, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(readdirSync(store.dataDir).sort()).toEqual(before);
  });
});

describe("a pattern that backtracks would hold the only thread", () => {
  const LONG = `${"a".repeat(50_000)}!`;
  test.each(["(a+)+$", "(a|aa)+$", "(.*a){25}$", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "as a search in files (%s)",
    async (pattern) => {
      await server.call("PUT", `/v1/sessions/${session}/files/long.txt`, LONG);
      const tool = "/v1/capabilities/session_file_system/tools/grep_files";
      const answer = await server.call("POST", tool, { input: { pattern }, session_id: session });
      expect(answer.status).toBeLessThan(500);
      expect((await server.call("GET", "/health")).status).toBe(200);
    },
  );

  test.each([
    [
      "the key of a request",
      "GET",
      "/v1/agents",
      { authorization: `Bearer ${" ".repeat(7000)}${"a ".repeat(500)}` },
    ],
    ["its Host", "GET", "/v1/agents", { host: `${"1:".repeat(6000)}x` }],
    ["its Origin", "GET", "/v1/agents", { origin: `http://${"a.".repeat(6000)}` }],
    ["its Last-Event-ID", "GET", "/health", { "last-event-id": "9".repeat(12_000) }],
  ])("in %s", async (_where, method, path, headers) => {
    const answer = await raw(method, path, { host, ...headers });
    expect(answer.status).toBeLessThan(500);
  });

  test("in a task and in the words a route is chosen by", async () => {
    for (const task of [
      "a ".repeat(20_000),
      "http://".repeat(5000),
      `${"1,".repeat(20_000)}x`,
      `${" ".repeat(50_000)}x`,
    ]) {
      const answer = await server.call("POST", "/v1/route", { task: task.slice(0, 20_000) });
      expect(answer.status).toBeLessThan(500);
    }
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function raw(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answered = false;
    const sent = request(
      { host: "127.0.0.1", port: host.split(":")[1], method, path, headers, agent: false },
      (response) => {
        answered = true;
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        response.on("end", done);
        response.on("error", done);
      },
    );
    sent.once("error", (error) => answered || reject(error)); // a refusal may come before the body is sent
    sent.end(body);
  });
}

function bytes(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.setTimeout(3000, () => socket.destroy());
  });
}
