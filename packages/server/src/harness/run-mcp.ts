/**
 * Serves a run's tools over MCP to the program that runs it, and to nobody else: on loopback, on a separate port,
 * with a token created for the run, kept in memory, and deleted with it. Every call goes to the run, which passes it
 * through the gate; nothing is decided here.
 */
import { randomBytes } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonValue, RuntimeTool } from "@capstan/core";
import { type ToolOutput, toolOutputText } from "@capstan/core/internal";
import type { HarnessRequest } from "@capstan/runtime";
import { serve } from "@hono/node-server";
import { type CallToolResult, createMcpHandler, Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { VERSION } from "../settings/version.ts";
import { SERVER_NAME } from "./own-tool.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ServedTools {
  readonly tools: readonly RuntimeTool[];
  readonly call: HarnessRequest["call"];
}

export interface OpenRunMcp {
  readonly url: string;
  readonly token: string;
  /** Invalidates the token. */
  close(): void;
}

export interface RunMcp {
  open(served: ServedTools): Promise<OpenRunMcp>;
  close(): Promise<void>;
}

interface Serving extends ServedTools {
  /** By request id, for a program that no longer waits. */
  readonly waiting: Map<string, AbortController>;
}

export function createRunMcp(onError: (error: unknown) => void): RunMcp {
  const servings = new Map<string, Serving>();
  let listening: Promise<{ server: HttpServer; url: string }> | undefined;
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => mcpServer(servings.get(authInfo?.token ?? ""), requestInfo?.signal),
    { responseMode: "sse", maxRequestBodySize: MAX_BODY_BYTES, onerror: onError },
  );
  const answer = async (request: Request): Promise<Response> => {
    const token = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const serving = servings.get(token);
    if (!serving) return Response.json({ error: "unknown token" }, { status: 401 });
    if (request.method === "POST") await noteCancelled(serving, request.clone());
    return handler.fetch(request, { authInfo: { token, clientId: "run", scopes: [] } });
  };
  return {
    async open(served) {
      listening ??= listen(answer);
      const { url } = await listening;
      const token = `run_${randomBytes(32).toString("base64url")}`;
      servings.set(token, { ...served, waiting: new Map() });
      return { url, token, close: () => void servings.delete(token) };
    },
    async close() {
      servings.clear();
      await handler.close();
      const server = (await listening)?.server;
      if (!server) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(
  answer: (request: Request) => Promise<Response>,
): Promise<{ server: HttpServer; url: string }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: answer, hostname: "127.0.0.1", port: 0 }, ({ port }: AddressInfo) =>
      resolve({ server: server as HttpServer, url: `http://127.0.0.1:${port}/mcp` }),
    );
    server.once("error", reject);
  });
}

/** One per request, as in the protocol's stateless form. */
function mcpServer(serving: Serving | undefined, gone: AbortSignal | undefined): Server {
  const server = new Server({ name: SERVER_NAME, version: VERSION }, { capabilities: { tools: {} } });
  const { tools = [], waiting, call } = serving ?? {};
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(({ name, tool }) => ({
      name,
      description: tool.description,
      inputSchema: { ...tool.input.jsonSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const controller = new AbortController();
    const key = String(mcpReq.id);
    waiting?.set(key, controller);
    try {
      const output = await call?.({
        tool: params.name,
        input: (params.arguments ?? {}) as JsonValue,
        id: CallMeta.parse(mcpReq._meta)["claudecode/toolUseId"],
        signal: AbortSignal.any([controller.signal, ...(gone ? [gone] : [])]),
      });
      return callResult(output ?? { type: "error-json", value: "The run is over." });
    } finally {
      waiting?.delete(key);
    }
  });
  return server;
}

const CallMeta = z.object({ "claudecode/toolUseId": z.string().optional() }).catch({});

const callResult = (output: ToolOutput): CallToolResult => ({
  content: [{ type: "text", text: toolOutputText(output) }],
  ...(output.type === "error-json" && { isError: true }),
});

const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/** A cancellation arrives as a separate request about another one's call. */
async function noteCancelled({ waiting }: Serving, request: Request): Promise<void> {
  const parsed = Cancelled.safeParse(await request.json().catch(() => null));
  if (parsed.success) waiting.get(String(parsed.data.params.requestId))?.abort();
}
