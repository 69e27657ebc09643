import { describe, expect, test } from "vitest";
import { tryTool } from "./fixtures/try-tool.ts";
import { statelessTodoList } from "./stateless-todo-list.ts";

const todo = (status: string, content = "Run tests") => ({ content, activeForm: "Running tests", status });

describe("write_todos", () => {
  test("returns the counts and the whole list", async () => {
    const todos = [todo("completed"), todo("in_progress"), todo("pending"), todo("pending")];
    expect(await tryTool(statelessTodoList, "write_todos", { todos })).toEqual({
      value: { success: true, total_tasks: 4, pending: 2, in_progress: 1, completed: 1, todos, warnings: [] },
    });
  });

  test.each([
    [["pending", "pending"], "No task is in_progress"],
    [["completed", "pending"], "No task is in_progress"],
    [["in_progress", "in_progress", "pending"], "2 tasks are in_progress"],
    [["in_progress", "in_progress", "in_progress"], "3 tasks are in_progress"],
  ])("%j gives the warning %s", async (statuses, warning) => {
    const { value } = await tryTool(statelessTodoList, "write_todos", {
      todos: statuses.map((status) => todo(status)),
    });
    expect(value).toMatchObject({ success: true, warnings: [expect.stringContaining(warning)] });
  });

  test.each([[[]], [["completed"]], [["in_progress", "pending"]], [["in_progress", "completed"]]])(
    "%j gives no warning",
    async (statuses) => {
      const { value } = await tryTool(statelessTodoList, "write_todos", {
        todos: statuses.map((status) => todo(status)),
      });
      expect(value).toMatchObject({ warnings: [] });
    },
  );

  test.each([
    { todos: [todo("done")] },
    { todos: [{ content: "a", status: "pending" }] },
    { todos: [todo("pending", "  ")] },
    { todos: "Run tests" },
    { todos: [{ ...todo("pending"), priority: "high" }] },
    { todos: [], replace: true },
    {},
  ])("refuses %j", async (input) => {
    expect((await tryTool(statelessTodoList, "write_todos", input)).failure?.code).toBe("tool_input_invalid");
  });
});

test.each([
  "Complex multi-step tasks",
  "3 or more distinct steps",
  "User provides multiple tasks",
  "Non-trivial work",
  "After receiving new instructions",
  "When starting work",
  "BEFORE",
  "After completing work",
  "One task in progress",
  "Update immediately",
  "Replace entire list",
  "Completion criteria",
])("the prompt says: %s", (words) => {
  expect(statelessTodoList.systemPrompt).toContain(words);
});
