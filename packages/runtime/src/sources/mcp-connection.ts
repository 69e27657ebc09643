/**
 * A reconnecting connection to one MCP server: when its process dies or its host drops the session, the current call fails
 * with the reason, and the next call reconnects.
 */

import { fail, type GuardedFetch, ok, type Refused, type Result } from "@capstan/core";
import {
  type CallToolResult,
  Client,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { type McpCommand, McpProcess } from "./mcp-process.ts";
import type { OperatorNetwork } from "./operator-network.ts";

const PROBE_MS = 5_000; // an old server may never answer the probe; then the old handshake is used

export type McpServer =
  | ({ readonly kind: "command" } & McpCommand)
  | { readonly kind: "url"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface McpConnectionParts {
  readonly label: string;
  readonly server: McpServer;
  readonly isolation: CommandIsolation;
  readonly operator?: (() => Promise<OperatorNetwork>) | undefined;
  readonly fetch: GuardedFetch;
  readonly connectTimeoutMs: number;
  readonly onToolsChanged: () => void;
}

export interface McpCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A server's description of itself; untrusted. */
export interface DescribedMcp {
  readonly name: string;
  readonly title?: string | undefined;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

interface Live {
  readonly client: Client;
  readonly transport: Transport;
}

export class McpConnection {
  readonly #parts: McpConnectionParts;
  #live: Promise<Result<Live>> | undefined;
  #closed = false;

  constructor(parts: McpConnectionParts) {
    this.#parts = parts;
  }

  /** Its process, for monitoring. */
  async pid(): Promise<number | undefined> {
    const live = await this.#live;
    return live?.ok && live.value.transport instanceof McpProcess ? live.value.transport.pid : undefined;
  }

  async describe(): Promise<Result<DescribedMcp>> {
    const live = await this.#ensureConnected();
    if (!live.ok) return live;
    const { client } = live.value;
    try {
      const { tools } = await client.listTools(undefined, {
        timeout: this.#parts.connectTimeoutMs,
        cacheMode: "refresh",
      });
      const { name = "mcp", title, version = "1.0.0" } = client.getServerVersion() ?? {};
      return ok({ name, title, version, instructions: client.getInstructions() ?? "", tools });
    } catch (error) {
      return this.#refused(live.value, error);
    }
  }

  async call({ tool, input, signal, timeoutMs }: McpCall): Promise<Result<CallToolResult>> {
    if (signal.aborted) return fail("cancelled", { what: `"${tool}"` });
    const live = await this.#ensureConnected();
    if (!live.ok) return live;
    try {
      const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
      return ok(await live.value.client.callTool({ name: tool, arguments: input }, options));
    } catch (error) {
      if (signal.aborted) return fail("cancelled", { what: `"${tool}"` });
      if (isCode(error, SdkErrorCode.RequestTimeout)) return fail("tool_timeout", { tool, timeoutMs });
      return this.#refused(live.value, error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const live = await this.#live;
    this.#live = undefined;
    if (live?.ok) await live.value.client.close().catch(() => {});
  }

  /** Closes it, and ends the session of a server that keeps one. */
  async leave(): Promise<void> {
    const live = await this.#live;
    const transport = live?.ok ? live.value.transport : undefined;
    if (transport instanceof StreamableHTTPClientTransport)
      await transport.terminateSession().catch(() => {});
    await this.close();
  }

  #ensureConnected(): Promise<Result<Live>> {
    if (this.#closed) return Promise.resolve(this.#unreachable("it was removed"));
    this.#live ??= this.#connect().then((live) => {
      if (!live.ok) this.#live = undefined; // the next call retries
      return live;
    });
    return this.#live;
  }

  /** Tries the newest protocol first; a server that cannot handle the probe is asked again in the old way. */
  async #connect(): Promise<Result<Live>> {
    const first = await this.#attempt("auto");
    if (first.ok || this.#parts.server.kind === "url") return first;
    return this.#attempt("legacy");
  }

  async #attempt(mode: "auto" | "legacy"): Promise<Result<Live>> {
    const transport = this.#transport();
    const client = new Client(
      { name: "capstan", version: "0.1.0" },
      {
        versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_MS, this.#parts.connectTimeoutMs) } },
        jsonSchemaValidator: leftToTheGate,
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.#parts.onToolsChanged() } },
      },
    );
    const live = { client, transport };
    client.onclose = () => this.#forget(live);
    client.onerror = () => {}; // reported by the call that fails
    try {
      await client.connect(transport, { timeout: this.#parts.connectTimeoutMs });
      return ok(live);
    } catch (error) {
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      const waited = isCode(error, SdkErrorCode.RequestTimeout)
        ? this.#whatWasWaitedFor(transport)
        : undefined;
      return this.#unreachable(waited ?? withLastWords(error, transport));
    }
  }

  #transport(): Transport {
    const { server, isolation, operator, fetch } = this.#parts;
    if (server.kind === "command") return new McpProcess(server, isolation, operator);
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
      fetch: guarded(fetch),
    });
  }

  /** Explains a hanging start: whether the program ran and printed something, or what prevented it. */
  #whatWasWaitedFor(transport: Transport): string {
    const { server, connectTimeoutMs } = this.#parts;
    const seconds = connectTimeoutMs / 1000;
    if (server.kind === "url") return `timed out: no answer to \`initialize\` within ${seconds} s`;
    const words = transport instanceof McpProcess ? transport.lastOutput : "";
    const fetches = /^(npx|uvx|bunx|pnpm|docker|podman)$/.test(server.command)
      ? `; ${server.command} may still be fetching it`
      : "";
    const said = words === "" ? "it has printed nothing on stderr" : `its last output: ${words}`;
    return `timed out: it was started and gave no answer to \`initialize\` within ${seconds} s${fetches}; ${said}`;
  }

  #forget(live: Live): void {
    void this.#live?.then((current) => {
      if (current.ok && current.value.client === live.client) this.#live = undefined;
    });
  }

  #refused(live: Live, error: unknown): Refused {
    if (isCode(error, SdkErrorCode.ConnectionClosed) || isCode(error, SdkErrorCode.NotConnected)) {
      this.#forget(live);
      const why = withLastWords(undefined, live.transport);
      return fail("mcp_server_died", { server: this.#parts.label, why });
    }
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ProtocolError) return fail("tool_failed", { message: message.slice(0, 2_000) });
    return this.#unreachable(message);
  }

  #unreachable(why: string): Refused {
    return fail("mcp_unreachable", { server: this.#parts.label, why: why.slice(0, 1_000) });
  }
}

/** The gate validates outputs by the tool's schema within our limits; ajv without them must not run untrusted schemas. */
const leftToTheGate: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (value) => ({ valid: true, data: value as T, errorMessage: undefined }),
};

const isCode = (error: unknown, code: SdkErrorCode) => error instanceof SdkError && error.code === code;

function withLastWords(error: unknown, transport: Transport): string {
  const words = transport instanceof McpProcess ? transport.lastOutput : "";
  const message = error instanceof Error ? error.message : "";
  return [message, words].filter(Boolean).join(": ");
}

/** The guard with the interface the SDK expects. It offers no listening stream: the guard times out every response. */
function guarded(fetch: GuardedFetch) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? "GET";
    if (method === "GET") return new Response(null, { status: 405 });
    const answer = await fetch(String(url), {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" && { body: init.body }),
      ...(init.signal && { signal: init.signal }),
      redirects: "refuse",
    });
    if (!answer.ok) throw new Error(answer.failure.message);
    return answer.value;
  };
}
