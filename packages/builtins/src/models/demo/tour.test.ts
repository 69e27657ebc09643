import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { called, offeredBy, user } from "./fixtures/demo-conversation.ts";
import { offlineModel } from "./offline.ts";
import { reply } from "./reply.ts";

const tools = offeredBy("stateless_todo_list", "session_file_system", "sandbox");

/** Follows the tour, answering each call, until its last message. */
function follow(prompt: LanguageModelV4Prompt, offered = tools, deny = ""): string[] {
  const made: string[] = [];
  for (;;) {
    const { text = "", call } = reply({ prompt, tools: offered });
    if (!call) return [...made, text];
    made.push(call.tool);
    prompt.push(
      ...(call.tool === deny
        ? called(call.tool, call.input, { message: "Denied by a person." }, true)
        : called(call.tool, call.input, RESULTS[call.tool] ?? {})),
    );
  }
}

const RESULTS: Record<string, object> = {
  write_file: { path: "/tour/notes.md", created: true, size_bytes: 56 },
  execute_code: { exit: "done", exit_code: 0, stdout: "Hello, Ada!\n" },
};

describe("the tour", () => {
  test.each([["tour"], ["Take the tour"], ["show me the tour please"], ["Start a guided tour."]])(
    "%j begins it",
    (message) => {
      const { text, call } = reply({ prompt: [user(message)], tools });
      expect([text?.startsWith("Welcome to Capstan"), call?.tool]).toEqual([true, "write_todos"]);
    },
  );

  test.each([["tell me about the Eiffel tour"], ["what is a tour?"]])("%j does not", (message) => {
    expect(reply({ prompt: [user(message)], tools }).text).not.toContain("Welcome to Capstan");
  });

  test("plans, writes a file, runs code, counts, and ends with what is next", () => {
    const said = follow([user("tour")]);
    expect(said.slice(0, -1)).toEqual(["write_todos", "write_file", "execute_code", "write_todos"]);
    expect(said.at(-1)).toContain("[add a provider key](/settings/models)");
  });

  test("tells what the edited code printed", () => {
    const prompt = [user("tour")];
    follow(prompt);
    const { text } = reply({ prompt: prompt.slice(0, 7), tools });
    expect(text).toContain("It printed: Hello, Ada!");
  });

  test("goes on after a call that was denied", () => {
    const prompt = [user("tour")];
    expect(follow(prompt, tools, "execute_code")).toHaveLength(5);
    expect(reply({ prompt: prompt.slice(0, 7), tools }).text).toContain("Nothing ran without your yes");
  });

  test("goes on where it was stopped when told so", () => {
    const prompt = [user("tour"), ...called("write_todos", {}, {}), user("go on")];
    expect(reply({ prompt, tools }).call?.tool).toBe("write_file");
    expect(follow(prompt)).toEqual(["write_file", "execute_code", "write_todos", expect.any(String)]);
  });

  test("is over when something else is said", () => {
    const prompt = [user("tour"), ...called("write_todos", {}, {}), user("list my files")];
    expect(reply({ prompt, tools }).call?.tool).toBe("list_directory");
  });

  test("leaves out what this agent has no tool for, and says so when it has none", () => {
    expect(follow([user("tour")], offeredBy("session_file_system"))).toEqual([
      "write_file",
      expect.any(String),
    ]);
    expect(reply({ prompt: [user("tour")], tools: offeredBy("test_math") }).text).toContain("does not have");
  });

  test.each([
    ["leaves time to press Stop", [] as LanguageModelV4Prompt, 5_000],
    ["does not make one wait again after a stop", [user("go on")], 0],
  ])("the count %s", async (_what, later, leastMs) => {
    const prompt = [user("tour")];
    follow(prompt);
    let waitedMs = 0;
    const pause = async (ms: number) => {
      waitedMs += ms;
    };
    const asked = [...prompt.slice(0, 7), ...later];
    const { stream } = await offlineModel({ pause }).doStream({ prompt: asked, tools });
    let text = "";
    for await (const part of stream) if (part.type === "text-delta") text += part.delta;
    expect(text).toContain("1 … 2 …");
    expect(waitedMs).toBeGreaterThanOrEqual(leastMs);
    expect(waitedMs).toBeLessThanOrEqual(leastMs * 2);
  });

  test("counts slowly, and stops at once when told to", async () => {
    const prompt = [user("tour")];
    follow(prompt);
    const stop = new AbortController();
    let pauses = 0;
    const model = offlineModel({
      pause: async () => {
        if (++pauses === 3) stop.abort();
      },
    });
    const { stream } = await model.doStream({ prompt: prompt.slice(0, 7), tools, abortSignal: stop.signal });
    const read = async () => {
      for await (const _part of stream);
    };
    await expect(read()).rejects.toThrow();
    expect(pauses).toBe(3);
  });
});
