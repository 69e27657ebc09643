import { fail, type GuardedFetch, ok } from "@capstan/core";
import { describe, expect, test, vi } from "vitest";
import { tryTool } from "./fixtures/try-tool.ts";
import { webFetchCapability } from "./web-fetch.ts";

const URL_ = "https://example.com/docs/page";
const HTML =
  "<h1>Tides</h1><p>High at <b>noon</b>, <a href='../low'>low</a> at six.</p><script>track()</script>";

describe("web_fetch", () => {
  test.each([
    [
      { as_markdown: true },
      "markdown",
      "# Tides\n\nHigh at **noon**, [low](https://example.com/low) at six.",
    ],
    [{ as_text: true }, "text", "Tides\n\nHigh at noon, low at six."],
    [
      { as_markdown: true, as_text: true },
      "markdown",
      "# Tides\n\nHigh at **noon**, [low](https://example.com/low) at six.",
    ],
    [{}, "raw", HTML],
  ])("%j gives HTML as %s", async (options, format, content) => {
    const { value, requests } = await read(
      page(HTML, { "content-type": "text/html; charset=utf-8" }),
      options,
    );
    expect(requests).toMatchObject([{ method: "GET" }]);
    expect(value).toEqual({
      url: URL_,
      status_code: 200,
      content_type: "text/html; charset=utf-8",
      size: HTML.length,
      format,
      content,
      truncated: false,
    });
  });

  test.each([
    "application/json",
    "text/plain",
    "application/vnd.api+json",
    "image/svg+xml",
    "application/xml",
  ])("returns %s unchanged, even when Markdown is requested", async (type) => {
    const { value } = await read(page("<b>{}</b>", { "content-type": type }), { as_markdown: true });
    expect(value).toMatchObject({ format: "raw", content: "<b>{}</b>", content_type: type });
  });

  test("reports the status, the modification time and the file name", async () => {
    const { value } = await read(
      page(
        "gone",
        {
          "content-type": "text/plain",
          "last-modified": "Sun, 01 Mar 2026 12:00:00 GMT",
          "content-disposition": "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt",
        },
        404,
      ),
    );
    expect(value).toMatchObject({
      url: URL_,
      status_code: 404,
      content_type: "text/plain",
      size: 4,
      content: "gone",
      last_modified: "Sun, 01 Mar 2026 12:00:00 GMT",
      filename: "größe.txt",
    });
  });

  test.each([
    "image/png",
    "application/pdf",
    "audio/mpeg",
    "video/mp4",
    "application/zip",
    "application/octet-stream",
    "font/woff2",
  ])("for %s it returns the metadata and why there is no content", async (type) => {
    const headers = {
      "content-type": type,
      "content-length": "12345",
      "content-disposition": 'inline; filename="a.bin"',
    };
    const { value, failure } = await read(page("binary", headers));
    expect(failure).toBeUndefined();
    expect(value).toMatchObject({
      content_type: type,
      size: 12_345,
      filename: "a.bin",
      truncated: false,
      error: expect.stringContaining("Binary content is not supported"),
    });
    expect(value).not.toHaveProperty("content");
  });

  test("detects binary content declared as text", async () => {
    const { value } = await read(page(Uint8Array.of(0x50, 0x4b, 0, 0, 1), { "content-type": "text/plain" }));
    expect(value).toMatchObject({ size: 5, error: expect.any(String) });
  });

  test.each([
    ["<!DOCTYPE html><h1>a</h1>", "text/html", "# a"],
    ["plain words", "text/plain", "plain words"],
  ])("detects the type of %j", async (body, type, content) => {
    const { value } = await read(page(new TextEncoder().encode(body), {}), { as_markdown: true });
    expect(value).toMatchObject({ content_type: type, content });
  });

  test("HEAD returns metadata only", async () => {
    const headers = { "content-type": "text/html", "content-length": "99" };
    const { value, requests } = await read(async () => ok(new Response(null, { headers })), {
      method: "HEAD",
    });
    expect(value).toMatchObject({ status_code: 200, size: 99, truncated: false });
    expect(value).not.toHaveProperty("content");
    expect(value).not.toHaveProperty("error");
    expect(requests).toMatchObject([{ method: "HEAD" }]);
  });

  test("has a timeout of one second for the first byte, and reports it", async () => {
    const { failure, requests } = await read(async (url, { firstByteTimeoutMs = 0 } = {}) =>
      fail("first_byte_timeout", { url, timeoutMs: firstByteTimeoutMs }),
    );
    expect(failure?.message).toBe("server did not respond within 1 second");
    expect(requests).toMatchObject([{ firstByteTimeoutMs: 1_000 }]);
  });

  test("a body that takes too long returns what arrived, with the specification's marker", async () => {
    const { value } = await read(
      async () => ok(endless("<p>first part")),
      { as_markdown: true },
      { bodyTimeoutMs: 30 },
    );
    expect(value).toMatchObject({ truncated: true, content: "first part\n[..more content timed out...]" });
  });

  test("a body has thirty seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let isOver = false;
      const reading = read(async () => ok(endless("first part"))).finally(() => {
        isOver = true;
      });
      await vi.advanceTimersByTimeAsync(29_999);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect((await reading).value).toMatchObject({ truncated: true });
    } finally {
      vi.useRealTimers();
    }
  });

  test("a body that is too large returns its beginning", async () => {
    const { value } = await read(
      page("x".repeat(1_000), { "content-type": "text/plain" }),
      {},
      { maxBytes: 100 },
    );
    expect(value).toMatchObject({
      truncated: true,
      size: 100,
      content: expect.stringMatching(/^x{100}\n\[\.\.more content/),
    });
  });

  test("the guard's own size limit also returns what arrived", async () => {
    const limit = Object.assign(new Error("too large"), { name: "BodyLimitError" });
    const { value } = await read(async () => ok(broken("begin", limit)));
    expect(value).toMatchObject({ truncated: true, content: expect.stringContaining("begin") });
  });

  test("a broken connection is a network error, and an abort by the caller is reported as such", async () => {
    const reset = await read(async () => ok(broken("begin", new Error("the server closed the connection"))));
    expect(reset.failure).toMatchObject({
      code: "network_error",
      message: expect.stringContaining("closed the connection"),
    });
    const left = await read(async () => ok(endless("begin")), {}, {}, AbortSignal.abort());
    expect(left.failure?.code).toBe("cancelled");
  });

  test("passes on a refusal by the network guard", async () => {
    const refusal = fail("url_refused", { url: "http://10.0.0.1/", why: "it is private" });
    expect((await read(async () => refusal)).failure).toEqual(refusal.failure);
  });

  test.each(["ftp://example.com/", "example.com", "", "javascript:alert(1)", "file:///etc/passwd"])(
    "refuses the URL %j",
    async (url) => {
      expect((await read(page("", {}), { url })).failure?.code).toBe("tool_input_invalid");
    },
  );

  test("has no prompt, and a timeout longer than its own limits", () => {
    const capability = webFetchCapability();
    expect(capability.systemPrompt).toBeUndefined();
    expect(capability.tools[0]?.timeoutMs).toBeGreaterThan(41_000);
  });
});

async function read(
  fetch: GuardedFetch,
  options: object = {},
  limits: Parameters<typeof webFetchCapability>[0] = {},
  signal = new AbortController().signal,
) {
  const requests: unknown[] = [];
  const recording: GuardedFetch = (url, request) => {
    requests.push(request);
    return fetch(url, request);
  };
  const result = await tryTool(
    webFetchCapability(limits),
    "web_fetch",
    { url: URL_, ...options },
    { fetch: recording, signal },
  );
  return { ...result, requests };
}

const page =
  (body: BodyInit, headers: Record<string, string>, status = 200): GuardedFetch =>
  async () =>
    ok(new Response(body, { headers, status }));

/** Sends its start and then hangs. */
const endless = (start: string) =>
  streamed({ start: (body) => body.enqueue(new TextEncoder().encode(start)) });

/** Sends its start and then breaks. */
const broken = (start: string, error: Error) => {
  const steps = [
    (body: ReadableStreamDefaultController<Uint8Array>) => body.enqueue(new TextEncoder().encode(start)),
    (body: ReadableStreamDefaultController<Uint8Array>) => body.error(error),
  ];
  return streamed({ pull: (body) => steps.shift()?.(body) });
};

function streamed(source: UnderlyingDefaultSource<Uint8Array>): Response {
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: { "content-type": "text/html" },
  });
}
