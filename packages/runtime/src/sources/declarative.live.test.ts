import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ToolContext } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGuardedFetch } from "../network/guarded-fetch.ts";
import { loadDeclarative } from "./declarative.ts";

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url?.startsWith("/away")) {
      response.writeHead(302, { location: "http://127.0.0.2:1/" }).end();
      return;
    }
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ method, url, body, key: headers["x-key"] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

describe("a declarative tool on the real network", () => {
  test("calls its server through the guard's allowlist", async () => {
    expect(await call("echo", { id: "7", note: "tea" }, [`127.0.0.1:${port}`])).toEqual({
      ok: true,
      value: {
        status: 200,
        body: { method: "PUT", url: "/echo/7", body: '{"note":"tea"}', key: "[secret]" },
      },
    });
  });

  test("is stopped by the guard when the address is private", async () => {
    expect(await call("echo", { id: "7" }, [])).toMatchObject({ failure: { code: "url_refused" } });
  });

  test("does not follow redirects to other servers", async () => {
    expect(await call("away", {}, [`127.0.0.1:${port}`])).toMatchObject({
      failure: { code: "redirect_refused" },
    });
  });
});

async function call(name: string, input: Record<string, unknown>, allowHosts: string[]) {
  const loaded = loadDeclarative(
    JSON.stringify({
      id: "echo",
      name: "Echo",
      description: "Answers what it was asked.",
      base_url: `http://127.0.0.1:${port}`,
      headers: { "X-Key": "$" + "{KEY}" },
      tools: [
        {
          name: "echo",
          description: "Echo.",
          method: "PUT",
          path: "/echo/{id}",
          parameters: { id: { type: "string" }, note: { type: "string" } },
        },
        { name: "away", description: "Redirects.", path: "/away" },
      ],
    }),
  );
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const guarded = createGuardedFetch({ allowHosts });
  const tool = loaded.value.tools.find((candidate) => candidate.name === name);
  const context = { fetch: guarded, config: { KEY: "a-secret-key" }, signal: new AbortController().signal };
  try {
    return await tool?.run(input, context as unknown as ToolContext);
  } finally {
    await guarded.close();
  }
}
