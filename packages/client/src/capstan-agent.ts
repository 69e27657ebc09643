/**
 * AG-UI's `HttpAgent` for an agent on a Capstan server: reads the agent's capabilities, and survives broken
 * connections. The rest is inherited; it works wherever an `HttpAgent` does.
 */
import { HttpAgent, type HttpAgentConfig } from "@ag-ui/client";
import type { AgentCapabilities } from "@ag-ui/core";
import type { Fetch } from "./connection.ts";
import { type ReconnectOptions, reconnectingFetch } from "./reconnecting-fetch.ts";

export interface CapstanAgentConfig extends HttpAgentConfig {
  /** An API key; not required on loopback. */
  key?: string;
  reconnect?: ReconnectOptions;
}

/** AG-UI's own type, with sub-agents under the name used by its capabilities specification. */
export type CapstanCapabilities = AgentCapabilities & {
  multiAgent?: { subAgents?: Array<{ name: string; description?: string }> };
};

export class CapstanAgent extends HttpAgent {
  // No fields of its own: the parent's `clone()` creates an object without running this constructor.
  constructor({ key, reconnect = {}, ...config }: CapstanAgentConfig) {
    const headers = { ...config.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
    const plain: Fetch = (url, init = {}) =>
      config.fetch ? config.fetch(url, init) : globalThis.fetch(url, init);
    super({ ...config, headers, fetch: reconnectingFetch(plain, reconnect) });
  }

  /**
   * Also stops the run on the server; the parent only stops listening, and the run would continue.
   * To leave without stopping the run, call `detachActiveRun()`.
   */
  override abortRun(): void {
    const wasRunning = this.isRunning;
    super.abortRun();
    if (wasRunning) void cancelOnServer(this);
  }

  /**
   * The agent's current capabilities; they change with the agent. Undefined if the server has no such document: the
   * parent's type does not allow that, so read it with `?.` as AG-UI's own documentation does.
   */
  override async getCapabilities(): Promise<CapstanCapabilities> {
    const url = `${trimmed(this.url)}/capabilities`;
    const response = await this.fetch(url, { headers: { ...this.headers, Accept: "application/json" } });
    if (HAS_NONE.has(response.status)) return undefined as unknown as CapstanCapabilities;
    if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`);
    const type = response.headers.get("content-type") ?? "no content type";
    if (!/\bjson\b/.test(type)) {
      throw new Error(`${url} answered with ${type} instead of JSON. Is this the URL of an agent?`);
    }
    return (await response.json()) as CapstanCapabilities;
  }
}

/** A function instead of a private method: a clone has no private members. */
async function cancelOnServer(agent: CapstanAgent): Promise<void> {
  const headers = { ...agent.headers, "Content-Type": "application/json" };
  const body = JSON.stringify({ threadId: agent.threadId });
  await agent.fetch(`${trimmed(agent.url)}/cancel`, { method: "POST", headers, body }).catch(() => {});
}

/** Not found, method not allowed, not implemented: a server without capabilities. */
const HAS_NONE = new Set([404, 405, 501]);

const trimmed = (url: string): string => url.replace(/\/+$/, "");
