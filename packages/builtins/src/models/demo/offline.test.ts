import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { called, offeredBy, user } from "./fixtures/demo-conversation.ts";
import { offlineModel } from "./offline.ts";
import { reply } from "./reply.ts";

const offered = offeredBy();

describe("the offline model", () => {
  test.each<[string, string, object]>([
    ["what time is it in Tokyo", "get_current_time", { timezone: "Asia/Tokyo" }],
    ["add 2 and 40", "add", { a: 2, b: 40 }],
    ["fetch https://example.com/", "web_fetch", { url: "https://example.com/" }],
    [
      "plan these three things: buy milk, fix the bug, write tests",
      "write_todos",
      { todos: [{ content: "Buy milk" }, { content: "Fix the bug" }, { content: "Write tests" }] },
    ],
    [
      "plan these three things: cook, wash up, sleep",
      "write_todos",
      { todos: [{ content: "Cook" }, { content: "Wash up" }, { content: "Sleep" }] },
    ],
    ["what is the weather in Paris", "get_weather", { city: "Paris" }],
    ["is it raining in Oslo", "get_weather", { city: "Oslo" }],
    ["what is 3 plus 4", "add", { a: 3, b: 4 }],
    ["how much is 7 times 8", "multiply", { a: 7, b: 8 }],
    ["what is in the folder /docs", "list_directory", { path: "/docs" }],
    ["save hello to /notes.txt", "write_file", { path: "/notes.txt", content: "hello" }],
    ["divide 10 by 4", "divide", { a: 10, b: 4 }],
    ["list the directory /docs", "list_directory", { path: "/docs" }],
    ["read the file /notes.txt", "read_file", { path: "/notes.txt" }],
  ])("%j calls %s", (task, tool, input) => {
    expect(reply({ prompt: [user(task)], tools: offered })).toMatchObject({ call: { tool, input } });
  });

  test("does one step after the other, and remembers what the first was about", () => {
    const prompt: LanguageModelV4Prompt = [user("write hello to /notes.txt and read it back")];
    const first = reply({ prompt, tools: offered });
    expect(first).toMatchObject({
      call: { tool: "write_file", input: { path: "/notes.txt", content: "hello" } },
    });
    prompt.push(
      ...called(
        "write_file",
        { path: "/notes.txt", content: "hello" },
        { path: "/notes.txt", created: true, size_bytes: 5 },
      ),
    );
    expect(reply({ prompt, tools: offered })).toEqual({
      call: { tool: "read_file", input: { path: "/notes.txt" } },
    });
    prompt.push(...called("read_file", { path: "/notes.txt" }, { path: "/notes.txt", content: "hello" }));
    expect(reply({ prompt, tools: offered })).toEqual({
      text: "I created /notes.txt (5 bytes).\n\n/notes.txt says: hello",
    });
  });

  test("says what is missing instead of making it up", () => {
    expect(reply({ prompt: [user("add 2")], tools: offered })).toEqual({
      text: expect.stringMatching(/`add`, but it also needs `b`/),
    });
  });

  test("says that it is a demo when nothing fits", () => {
    expect(reply({ prompt: [user("why do we exist")], tools: offered })).toEqual({
      text: expect.stringContaining("I am the demo model"),
    });
  });

  test("words a refusal with its next step", () => {
    const prompt: LanguageModelV4Prompt = [
      user("read the file /x"),
      ...called("read_file", { path: "/x" }, { message: "no file", nextStep: "List it." }, true),
    ];
    expect(reply({ prompt, tools: offered })).toEqual({
      text: "`read_file` did not work: no file. List it.",
    });
  });

  test("streams its text in pieces that join to the whole", async () => {
    const { stream } = await offlineModel().doStream({ prompt: [user("why")], tools: [] });
    let text = "";
    let last = "";
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === "text-delta") text += value.delta;
      last = value.type;
    }
    expect([text.startsWith("None of this agent's tools"), last]).toEqual([true, "finish"]);
  });
});
