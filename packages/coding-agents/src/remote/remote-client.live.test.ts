import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { Failure, Result } from "@capstan/core";
import { CapabilityError, type CodingAgentEvent, RunRefusedError, runFaults } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../client.ts";
import type { CodingAgentClient } from "../coding-agent-client.ts";
import { standIn } from "../fixtures/stand-in-adapter.ts";
import { createRunHost, type RunHost } from "./run-host.ts";

let remote: CodingAgentClient;
let host: RunHost;
let close: () => Promise<void>;

beforeAll(async () => {
  const local = createClient({ runner: { terminateGraceMs: 300 } });
  // The server's Claude cannot fork: what the client reports must be the server's word, not its own.
  local.adapters.register({
    ...local.adapters.get("claude"),
    capabilities: { ...local.adapters.capabilities("claude"), canFork: false },
  });
  local.adapters.register(
    standIn({ name: "opencode", talksBack: true, capabilities: { supportsTextStreaming: true } }),
  );
  host = createRunHost(local);
  const server = createServer(async (request, response) => {
    const [, , , agent = "", , runId, tail] = (request.url ?? "").split("/");
    const body = request.method === "POST" ? JSON.parse(await text(request)) : undefined;
    try {
      if (request.method === "GET") return reply({ capabilities: local.adapters.capabilities(agent) });
      if (tail === "commands") return answer(await host.command(runId ?? "", body));
      const started = host.start({ ...body, agent });
      if (!started.ok) return refuse(started.failure);
      response.writeHead(200, { "content-type": "text/event-stream" });
      Readable.fromWeb(started.value.stream as never).pipe(response);
    } catch (error) {
      if (error instanceof RunRefusedError) return refuse(error.failure);
      if (!(error instanceof CapabilityError)) throw error;
      const { code, agent: name, capability, message, nextStep } = error;
      refuse({ code, status: 422, message, nextStep, details: { agent: name, capability } });
    }
    function reply(value: unknown, status = 200) {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    }
    function refuse({ status, ...problem }: Failure) {
      reply(problem, status);
    }
    function answer(result: Result<null>) {
      if (result.ok) response.writeHead(204).end();
      else refuse(result.failure);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  remote = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  close = async () => {
    await host.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});

afterAll(() => close());

describe("a client of a remote Capstan", () => {
  test("runs there and tells the same events and result", async () => {
    const run = remote.run({ agent: "opencode", prompt: "talk 3" });
    const events = await all(run);
    expect(runFaults(events)).toEqual([]);
    expect(await run.result).toMatchObject({ outcome: "done", text: "0 1 2 ", sessionId: "s1" });
    expect(run.id).not.toBe("");
  });

  test("takes part in the run: approves, and aborts", async () => {
    const asking = remote.run({ agent: "opencode", prompt: "ask", approvalMode: "prompt" });
    for await (const event of asking) if (event.type === "approval-requested") await asking.approve(event.id);
    expect((await asking.result).outcome).toBe("done");
    const hanging = remote.run({ agent: "opencode", prompt: "hang" });
    for await (const event of hanging) if (event.type === "tool-started") await hanging.abort();
    expect((await hanging.result).outcome).toBe("aborted");
  });

  test("reports the nested adapter's capabilities once it asked for them, and refuses by them", async () => {
    expect(remote.adapters.capabilities("claude").canFork).toBe(true);
    expect(await remote.adapters.detect("claude")).toMatchObject({ installed: true });
    expect(remote.adapters.capabilities("claude").canFork).toBe(false);
    expect(remote.adapters.get("claude").capabilities).toBe(remote.adapters.capabilities("claude"));
    expect(() => remote.run({ agent: "claude", prompt: "hi", forkSessionId: "s1" })).toThrow(CapabilityError);
  });

  test.each([
    ["cwd", { cwd: "/etc" }],
    ["env", { env: { PATH: "/evil" } }],
  ])("does not say %s for another machine", (name, option) => {
    expect(() => remote.run({ agent: "opencode", prompt: "hi", ...option })).toThrow(name);
  });

  test("what only the server refuses rejects the result with the same error", async () => {
    const run = remote.run({ agent: "opencode", prompt: "talk 1", skills: ["./s"] });
    await expect(run.result).rejects.toMatchObject({ code: "CAPABILITY_ERROR", capability: "skills" });
    await expect(all(run)).rejects.toThrow(CapabilityError);
  });

  test("says so when the server is gone", async () => {
    const lost = createClient({ url: "http://127.0.0.1:1" }).run({ agent: "claude", prompt: "hi" });
    await expect(lost.result).rejects.toThrow();
  });

  test("a command to a run that is over is refused", async () => {
    const run = remote.run({ agent: "opencode", prompt: "talk 1" });
    await run.result;
    await expect(run.interrupt()).rejects.toThrow(/cannot accept "interrupt"/);
  });
});

async function all(run: AsyncIterable<CodingAgentEvent>): Promise<CodingAgentEvent[]> {
  const events: CodingAgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
