/** web_fetch as an agent uses it: over the API, through the gate and the guarded fetch, to a real server. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { webFetchCapability } from "@capstan/builtins";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const PAGE =
  "<html><head><title>Port</title></head><body><h1>Tides</h1><p>High at <b>noon</b>.</p></body></html>";
const HTML = { "content-type": "text/html; charset=utf-8" };

const PAGES: Record<string, (response: ServerResponse) => void> = {
  "/page": (response) => response.writeHead(200, HTML).end(PAGE),
  "/gzip": (response) => response.writeHead(200, { ...HTML, "content-encoding": "gzip" }).end(gzipSync(PAGE)),
  "/br": (response) =>
    response.writeHead(200, { ...HTML, "content-encoding": "br" }).end(brotliCompressSync(PAGE)),
  "/zstd": (response) =>
    response.writeHead(200, { ...HTML, "content-encoding": "zstd" }).end(zstdCompressSync(PAGE)),
  "/latin": (response) =>
    response
      .writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" })
      .end(Buffer.from([0x63, 0x61, 0x66, 0xe9])),
  "/picture": (response) =>
    response
      .writeHead(200, {
        "content-type": "image/png",
        "content-length": 12,
        "content-disposition": "attachment; filename*=UTF-8''k%C3%BCste.png",
        "last-modified": "Sun, 01 Nov 2026 08:00:00 GMT",
      })
      .end(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])),
  "/silent": () => {},
  "/drip": (response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).write("the first half "),
  "/to-metadata": (response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  "/to-private": (response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
  "/to-page": (response) => response.writeHead(302, { location: "/page" }).end(),
};

let site: Server;
let server: TestServer;
let base: string;
beforeAll(async () => {
  site = createServer((request, response) => {
    (
      PAGES[request.url ?? ""] ??
      ((missing: ServerResponse) => missing.writeHead(404, HTML).end("<p>none</p>"))
    )(response);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const { port } = site.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  server = await testServer(await freshPglite(), { CAPSTAN_ALLOW_HOSTS: `127.0.0.1:${port}` });
  server.services.registry.register({ ...webFetchCapability({ bodyTimeoutMs: 300 }), id: "impatient_fetch" });
});
afterAll(async () => {
  await server?.stop();
  site?.closeAllConnections();
  site?.close();
});

async function fetched(path: string, more: object = {}, capability = "web_fetch") {
  const url = path.startsWith("http") ? path : base + path;
  const answer = await server.call("POST", `/v1/capabilities/${capability}/tools/web_fetch`, {
    input: { url, ...more },
  });
  return answer.status === 200 ? answer.body.output : answer.body;
}

describe("a page", () => {
  test.each(["/page", "/gzip", "/br", "/zstd", "/to-page"])("%s is read as Markdown", async (path) => {
    expect(await fetched(path, { as_markdown: true })).toMatchObject({
      status_code: 200,
      format: "markdown",
      content: "# Tides\n\nHigh at **noon**.",
      truncated: false,
    });
  });

  test("is plain text on request, and unchanged by default", async () => {
    expect((await fetched("/page", { as_text: true })).content).toBe("Tides\n\nHigh at noon.");
    expect(await fetched("/page")).toMatchObject({ format: "raw", content: PAGE });
  });

  test("is decoded from the charset in its header", async () => {
    expect((await fetched("/latin")).content).toBe("café");
  });

  test("has no content for a HEAD request", async () => {
    const head = await fetched("/page", { method: "HEAD" });
    expect(head).toMatchObject({ status_code: 200, content_type: HTML["content-type"] });
    expect(head).not.toHaveProperty("content");
  });

  test("that is missing is a response with its status, not a failure", async () => {
    expect(await fetched("/nowhere")).toMatchObject({ status_code: 404, content: "<p>none</p>" });
  });
});

test("an image is described, with its file name", async () => {
  const picture = await fetched("/picture");
  expect(picture).toMatchObject({
    content_type: "image/png",
    size: 12,
    filename: "küste.png",
    last_modified: "Sun, 01 Nov 2026 08:00:00 GMT",
  });
  expect(picture).not.toHaveProperty("content");
});

test("an unresponsive server times out, with the specification's message", async () => {
  expect(JSON.stringify(await fetched("/silent"))).toContain("server did not respond within 1 second");
});

test("a body that never ends returns what arrived, and says so", async () => {
  expect(await fetched("/drip", {}, "impatient_fetch")).toMatchObject({
    content: "the first half \n[..more content timed out...]",
    truncated: true,
  });
});

describe("a private address", () => {
  test.each([
    ["of a cloud's metadata", "http://169.254.169.254/"],
    ["of this machine, on a port that is not allowed", "http://127.0.0.1:8080/"],
    ["in IPv6", "http://[::1]/"],
    ["written as one number", "http://2130706433/"],
    ["behind a redirect", "/to-private"],
    ["of a cloud's metadata behind a redirect", "/to-metadata"],
  ])("%s is refused", async (_, url) => {
    const refused = await fetched(url);
    expect(refused).toMatchObject({ code: "url_refused" });
    expect(refused).not.toHaveProperty("content");
  });
});
