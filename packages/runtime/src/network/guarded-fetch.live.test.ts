import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Result } from "@capstan/core";
import { afterEach, describe, expect, test } from "vitest";
import { createGuardedFetch, type GuardedFetchSettings } from "./guarded-fetch.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
});

describe("what the guard refuses", () => {
  test.each(["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.0.0.2"])(
    "%s is refused unless allowed, and the server receives nothing",
    async (host) => {
      const { port, seen } = await serve((_, response) => response.end("secret"));
      const result = await guard({})(`http://${host}:${port}/`);
      expect(result).toMatchObject({
        failure: { code: "url_refused", nextStep: expect.stringContaining("CAPSTAN_ALLOW_HOSTS") },
      });
      expect(seen).toEqual([]);
    },
  );

  test("a name that resolves to a private address is refused", async () => {
    const { port, seen } = await serve((_, response) => response.end("secret"));
    const fetch = guard({ resolve: async () => ["127.0.0.1", "::ffff:127.0.0.1"] });
    expect(await fetch(`http://innocent.example:${port}/`)).toMatchObject({
      failure: {
        code: "url_refused",
        message: expect.stringContaining("innocent.example resolves to 127.0.0.1"),
      },
    });
    expect(seen).toEqual([]);
  });

  test("a name whose answer changes only reaches the checked address", async () => {
    const { port, addresses } = await serve((_, response) => response.end("ok"));
    const answers = ["127.0.0.9", "127.0.0.1", "127.0.0.1"];
    const judge = (address: string) => (address === "127.0.0.9" ? undefined : "private");
    const fetch = guard({ judge, resolve: async () => [answers.shift() ?? "127.0.0.1"] });
    expect(await text(await fetch(`http://rebind.example:${port}/`))).toBe("ok");
    expect(addresses).toEqual(["127.0.0.9"]);
    expect(answers).toHaveLength(2);
    await fetch.close();
    const again = guard({ judge, resolve: async () => [answers.shift() ?? "127.0.0.1"] });
    expect(await again(`http://rebind.example:${port}/`)).toMatchObject({ failure: { code: "url_refused" } });
    expect(addresses).toEqual(["127.0.0.9"]);
  });

  test("of several addresses only the public ones are tried", async () => {
    const { port, addresses } = await serve((_, response) => response.end("ok"));
    const judge = (address: string) => (address === "127.0.0.9" ? undefined : "private");
    const fetch = guard({ judge, resolve: async () => ["127.0.0.1", "::1", "127.0.0.9"] });
    expect(await text(await fetch(`http://mixed.example:${port}/`))).toBe("ok");
    expect(addresses).toEqual(["127.0.0.9"]);
  });

  test("a redirect to a private address is refused, by number and by name", async () => {
    const inner = await serve((_, response) => response.end("secret"));
    for (const target of [
      `http://127.0.0.2:${inner.port}/`,
      `http://inner.example:${inner.port}/`,
      "file:///etc/passwd",
    ]) {
      const outer = await serve((_, response) => response.writeHead(302, { location: target }).end());
      const fetch = guard({ allowHosts: [`127.0.0.1:${outer.port}`], resolve: async () => ["127.0.0.1"] });
      const result = await fetch(outer.url);
      expect(code(result)).toMatch(/^url_(refused|invalid)$/);
    }
    expect(inner.seen).toEqual([]);
  });

  test("a caller cannot set the host, smuggle a second request or use another method", async () => {
    const { url, fetch, seen } = await served((request, response) => response.end(`${request.headers.host}`));
    expect(
      await text(
        await fetch(url, { headers: { Host: "metadata.internal", "Transfer-Encoding": "chunked" } }),
      ),
    ).toBe(new URL(url).host);
    expect(code(await fetch(url, { headers: { "x-a": "1\r\n\r\nGET /admin HTTP/1.1" } }))).toBe(
      "network_error",
    );
    expect(code(await fetch(url, { method: "CONNECT" }))).toBe("input_invalid");
    expect(seen).toEqual(["GET /"]);
  });
});

describe("redirects", () => {
  test("are followed to the last response, whose URL is returned", async () => {
    const { url, fetch } = await served((request, response) => {
      const hop = Number(new URL(request.url ?? "", "http://x").searchParams.get("hop"));
      if (hop < 5) response.writeHead(302, { location: `/?hop=${hop + 1}` }).end("moved");
      else response.end("arrived");
    });
    const result = await fetch(`${url}?hop=0`);
    expect(result.ok && result.value.url).toBe(`${url}?hop=5`);
    expect(await text(result)).toBe("arrived");
    expect(code(await fetch(`${url}?hop=-6`))).toBe("redirect_refused");
    expect(code(await fetch(`${url}?hop=0`, { redirects: "refuse" }))).toBe("redirect_refused");
  });

  test("to another origin are sent without the caller's keys", async () => {
    const other = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const first = await serve((_, response) => response.writeHead(302, { location: other.url }).end());
    const fetch = guard({ allowHosts: ["127.0.0.1"] });
    const headers = {
      authorization: "Bearer secret",
      "x-subscription-token": "secret",
      cookie: "a=secret",
      accept: "text/html",
    };
    const received = await text(await fetch(first.url, { headers }));
    expect(received).toContain("text/html");
    expect(received).not.toContain("secret");
  });
});

describe("bodies", () => {
  const page = "Grüße aus der Küche. ".repeat(1_000);
  test.each([
    ["gzip", gzipSync(page)],
    ["br", brotliCompressSync(page)],
    ["zstd", zstdCompressSync(page)],
    ["gzip, br", brotliCompressSync(gzipSync(page))],
    ["identity", Buffer.from(page)],
  ])("in %s are decoded", async (encoding, bytes) => {
    const { url, fetch } = await served((_, response) =>
      response.setHeader("content-encoding", encoding).end(bytes),
    );
    const result = await fetch(url);
    expect(await text(result)).toBe(page);
    expect(result.ok && result.value.headers.get("content-encoding")).toBe(
      encoding === "identity" ? "identity" : null,
    );
  });

  test("cut off in the middle still return what arrived", async () => {
    const { url, fetch } = await served((_, response) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(page).subarray(0, 100)),
    );
    expect(page.startsWith(await text(await fetch(url)))).toBe(true);
  });

  test.each([
    ["gzip", gzipSync(Buffer.alloc(50_000_000))],
    ["br", brotliCompressSync(Buffer.alloc(50_000_000))],
    ["gzip, gzip", gzipSync(gzipSync(Buffer.alloc(50_000_000)))],
    ["identity", Buffer.alloc(2_000_000)],
  ])("that exceed the limit in %s end there", async (encoding, bytes) => {
    const { url, fetch } = await served(
      (_, response) => response.setHeader("content-encoding", encoding).end(bytes),
      { maxBytes: 1_000_000 },
    );
    await expect(text(await fetch(url))).rejects.toThrow(/larger than 1000000 bytes/);
  });

  test.each(["compress", "gzip, gzip, gzip, gzip"])("in the encoding %j are refused", async (encoding) => {
    const { url, fetch } = await served((_, response) =>
      response.setHeader("content-encoding", encoding).end("x"),
    );
    expect(await fetch(url)).toMatchObject({
      failure: { code: "network_error", message: expect.stringContaining("encoding") },
    });
  });

  test("are sent, and absent where HTTP has none", async () => {
    const { url, fetch } = await served(async (request, response) => {
      let sent = "";
      for await (const chunk of request) sent += chunk;
      response.writeHead(request.url === "/204" ? 204 : 200, {
        "content-length": request.url === "/204" ? 0 : sent.length + 5,
      });
      response.end(`${request.method?.slice(0, 4).padEnd(4)} ${sent}`);
    });
    expect(await text(await fetch(url, { method: "POST", body: "hello" }))).toBe("POST hello");
    expect(await text(await fetch(url, { method: "PUT", body: new TextEncoder().encode("bytes") }))).toBe(
      "PUT  bytes",
    );
    const head = await fetch(url, { method: "HEAD" });
    expect(head.ok && [head.value.body, head.value.headers.get("content-length")]).toEqual([null, "5"]);
    const none = await fetch(`${url}204`);
    expect(none.ok && [none.value.status, none.value.body]).toEqual([204, null]);
  });
});

describe("times", () => {
  test("an unresponsive server times out, with the specification's message", async () => {
    const { url, fetch } = await served(() => undefined);
    expect(await fetch(url, { firstByteTimeoutMs: 1_000 })).toMatchObject({
      failure: { code: "first_byte_timeout", message: "server did not respond within 1 second" },
    });
  });

  test("a body that never ends is stopped at the total timeout", async () => {
    const { url, fetch } = await served((_, response) => response.write("first"), { timeoutMs: 300 });
    await expect(text(await fetch(url))).rejects.toThrow(/stopped/);
  });

  test("redirects do not extend the total timeout", async () => {
    const { url, fetch } = await served(
      (_, response) => setTimeout(() => response.writeHead(302, { location: "/" }).end(), 30),
      { timeoutMs: 200, maxRedirects: 1_000 },
    );
    expect(await fetch(url)).toMatchObject({ failure: { code: "response_timeout" } });
  });

  test("an unread response ends by itself without side effects", async () => {
    let closed: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url, fetch } = await served(
      (_, response) => {
        response.on("close", closed);
        response.write("first");
      },
      { timeoutMs: 100 },
    );
    expect(code(await fetch(url))).toBe("ok");
    await ended;
  });

  test("a caller can abort before, during the wait and while reading", async () => {
    const { url, fetch } = await served((request, response) =>
      request.url === "/body" ? response.write("first") : undefined,
    );
    expect(code(await fetch(url, { signal: AbortSignal.abort() }))).toBe("cancelled");
    expect(code(await fetch(url, { signal: AbortSignal.timeout(50) }))).toBe("cancelled");
    const reading = new AbortController();
    const result = await fetch(`${url}body`, { signal: reading.signal });
    reading.abort();
    await expect(text(result)).rejects.toThrow(/stopped/);
  });
});

describe("the wire", () => {
  test("one connection serves many requests, also after redirects", async () => {
    const { url, fetch, connections } = await served((request, response) =>
      request.url === "/r" ? response.writeHead(302, { location: "/" }).end("moved") : response.end("ok"),
    );
    for (let turn = 0; turn < 10; turn++) await text(await fetch(`${url}r`));
    expect(connections()).toBeLessThanOrEqual(2);
  });

  test("a hundred concurrent requests all get their own answer", async () => {
    const { url, fetch, connections } = await served((request, response) => response.end(request.url));
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => text(await fetch(`${url}${index}`))),
    );
    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => `/${index}`));
    expect(connections()).toBeLessThanOrEqual(16);
  });

  test("errors are reported in plain words", async () => {
    const closed = await serve(() => undefined);
    await closed.close();
    const notHttp = await listening(createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n")));
    const odd = await served((_, response) => response.writeHead(999).end());
    const fetch = guard({ allowHosts: ["127.0.0.1"] });
    expect(message(await fetch(closed.url))).toContain("nothing is listening there");
    expect(message(await fetch(`http://127.0.0.1:${notHttp}/`))).toContain("not HTTP");
    expect(message(await fetch(odd.url))).toContain("999");
    expect(message(await guard({ resolve: async () => [] })("http://nowhere.example/"))).toContain(
      "does not resolve",
    );
  });

  test("header bytes beyond ASCII reach the caller as bytes", async () => {
    const name = Buffer.from('attachment; filename="größe.txt"', "utf8").toString("latin1");
    const { url, fetch } = await served((_, response) =>
      response.setHeader("content-disposition", name).end(),
    );
    const result = await fetch(url);
    expect(result.ok && result.value.headers.get("content-disposition")).toBe(name);
  });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function served(handler: Handler, settings: GuardedFetchSettings = {}) {
  const server = await serve(handler);
  return { ...server, fetch: guard({ allowHosts: [`127.0.0.1:${server.port}`], ...settings }) };
}

async function serve(handler: Handler) {
  const seen: string[] = [];
  const addresses: string[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    addresses.push(request.socket.localAddress?.replace("::ffff:", "") ?? "");
    handler(request, response);
  };
  const server = createServer(listener).on("connection", () => connections++);
  const port = await listening(server);
  const close = () => server.closeAllConnections();
  open.push({ close });
  const end = () => new Promise((done) => server.close(done));
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    seen,
    addresses,
    connections: () => connections,
    close: end,
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, ready));
  open.push({ close: () => server.close() });
  return (server.address() as AddressInfo).port;
}

function guard(settings: GuardedFetchSettings) {
  const fetch = createGuardedFetch(settings);
  open.push(fetch);
  return fetch;
}

async function text(result: Result<Response>): Promise<string> {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value.text();
}

const code = (result: Result<unknown>) => (result.ok ? "ok" : result.failure.code);
const message = (result: Result<unknown>) => (result.ok ? "ok" : result.failure.message);
