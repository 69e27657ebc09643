import { HttpAgent } from "@ag-ui/client";
import type { AgentCapabilities } from "@ag-ui/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CapstanAgent, type CapstanCapabilities } from "./capstan-agent.ts";

const URL_OF_AGENT = "http://127.0.0.1:1/v1/agents/a/ag-ui";
const answering = (body: string, init: ResponseInit) =>
  new CapstanAgent({ url: URL_OF_AGENT, fetch: async () => new Response(body, init) });

describe("getCapabilities", () => {
  test.each([404, 405, 501])("is undefined when the server answers %i", async (status) => {
    expect(await answering("no", { status }).getCapabilities()).toBeUndefined();
  });

  test("reports what came instead of JSON", async () => {
    const page = answering("<html>", { headers: { "content-type": "text/html" } });
    await expect(page.getCapabilities()).rejects.toThrow(/text\/html instead of JSON/);
  });

  test("has the types of AG-UI, sub-agents included", async () => {
    const agent: HttpAgent = new CapstanAgent({ url: URL_OF_AGENT });
    expect(agent).toBeInstanceOf(HttpAgent);
    const subAgents: Array<{ name: string; description?: string }> = [{ name: "Writer" }];
    const capabilities: CapstanCapabilities = { multiAgent: { supported: true, subAgents } };
    const theirs: AgentCapabilities = capabilities;
    const ours: CapstanCapabilities = theirs;
    expect(ours.multiAgent?.subAgents?.map(({ name }) => name)).toEqual(["Writer"]);
  });
});

describe("with a library that replaces the global Response", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("a refusal is returned without retrying", async () => {
    const refusal = new Response("no", { status: 500 });
    const fetch = vi.fn(async () => refusal);
    vi.stubGlobal("Response", class Replaced {});
    const agent = new CapstanAgent({ url: URL_OF_AGENT, fetch });
    await expect(agent.runAgent()).rejects.toThrow(/500/);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
