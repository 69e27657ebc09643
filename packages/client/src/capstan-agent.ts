/**
 * AG-UI's `HttpAgent` for an agent on a Capstan server: asks what the agent can do, and does not lose a run to a broken
 * connection. Everything else is the parent's; it works wherever an `HttpAgent` does.
 */
import { HttpAgent, type HttpAgentConfig } from "@ag-ui/client";
import type { AgentCapabilities } from "@ag-ui/core";
import type { Fetch } from "./connection.ts";
import { type ReconnectOptions, reconnectingFetch } from "./reconnecting-fetch.ts";

export interface CapstanAgentConfig extends HttpAgentConfig {
  /** An API key: not needed on loopback. */
  key?: string;
  reconnect?: ReconnectOptions;
}

export class CapstanAgent extends HttpAgent {
  // No field of its own: the parent's `clone()` makes an object without running this constructor.
  constructor({ key, reconnect = {}, ...config }: CapstanAgentConfig) {
    const headers = { ...config.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
    const plain: Fetch = (url, init = {}) =>
      config.fetch ? config.fetch(url, init) : globalThis.fetch(url, init);
    super({ ...config, headers, fetch: reconnectingFetch(plain, reconnect) });
  }

  /**
   * What the agent can do now; it changes with the agent. Undefined from a server that has no such document: the
   * parent's type has no room for that, so read it with `?.` as AG-UI's own documentation does.
   */
  override async getCapabilities(): Promise<AgentCapabilities> {
    const response = await this.fetch(`${this.url.replace(/\/+$/, "")}/capabilities`, {
      headers: { ...this.headers, Accept: "application/json" },
    });
    if (response.status === 404) return undefined as unknown as AgentCapabilities;
    if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as AgentCapabilities;
  }
}
