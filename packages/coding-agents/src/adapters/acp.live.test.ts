import { fileURLToPath } from "node:url";
import type { CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../client.ts";
import type { RunHandle } from "../runner/run-handle.ts";
import { acpAdapter } from "./acp.ts";

const AGENT = fileURLToPath(new URL("../fixtures/acp-agent.ts", import.meta.url));

describe("a user's own agent, over ACP", () => {
  test("runs by its command alone", async () => {
    const { result } = await run({ prompt: "hello", cwd: "/tmp" });
    expect(result).toMatchObject({ outcome: "done", text: "hello at default", sessionId: "new-in-tmp" });
  });

  test("resumes a session without repeating its history", async () => {
    const { result } = await run({ prompt: "again", sessionId: "s1" });
    expect(result).toMatchObject({ outcome: "done", text: "again at default", sessionId: "s1" });
  });

  test("sets options before the prompt; one that the agent refuses is a warning", async () => {
    const { result } = await run({ prompt: "think", thinkingEffort: "high", model: "sonar" });
    expect(result).toMatchObject({ outcome: "done", text: "think at high" });
    expect(result.warnings).toContainEqual(expect.stringContaining("session/set_config_option was refused"));
  });

  test.each([
    [true, false],
    [false, true],
  ])("asks for permission: approved %s, denied %s", async (yes, denied) => {
    const { events } = await run({ prompt: "write", approvalMode: "prompt" }, (handle, event) =>
      event.type !== "approval-requested"
        ? undefined
        : yes
          ? handle.approve(event.id)
          : handle.deny(event.id),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "approval-requested", toolId: "t1", input: { command: "touch x" } }),
    );
    const ended = events.find((event) => event.type === "tool-ended");
    expect(ended).toMatchObject({ isError: !yes });
    expect(ended?.type === "tool-ended" && ended.denied === true).toBe(denied);
  });

  test("is interrupted in its own protocol", async () => {
    const { result } = await run({ prompt: "slow" }, (handle, event) =>
      event.type === "text-delta" ? handle.interrupt() : undefined,
    );
    expect(result).toMatchObject({ outcome: "aborted", message: "Interrupted." });
  });

  test("accepts another message, which waits for the end of the turn", async () => {
    let sent = false;
    const { result } = await run({ prompt: "write", approvalMode: "prompt" }, async (handle, event) => {
      if (event.type !== "approval-requested") return;
      if (!sent) await handle.send("second");
      sent = true;
      await handle.approve(event.id);
    });
    expect(result).toMatchObject({ outcome: "done", text: "write at defaultsecond at default" });
  });
});

async function run(
  options: Partial<RunOptions>,
  onEvent?: (handle: RunHandle, event: CodingAgentEvent) => unknown,
) {
  const client = createClient();
  const capabilities = { supportsThinking: true, thinkingEffortLevels: ["high" as const] };
  client.adapters.register(
    acpAdapter({ name: "sdk-agent", command: [process.execPath, AGENT], capabilities }),
  );
  const handle = client.run({ agent: "sdk-agent", prompt: "", timeoutMs: 20_000, ...options });
  const events: CodingAgentEvent[] = [];
  for await (const event of handle) {
    events.push(event);
    await onEvent?.(handle, event);
  }
  return { events, result: await handle.result };
}
