import { expect, test } from "vitest";
import { taskListIn } from "./task-list.ts";

const sail = { content: "Sail", status: "pending" };

test.each<[string, unknown, unknown]>([
  ["todos with a content", { todos: [sail] }, [sail]],
  ["todos with a description", { todos: [{ description: "Sail", status: "pending" }] }, [sail]],
  ["a plan of steps", { explanation: "Why", plan: [{ step: "Sail", status: "pending" }] }, [sail]],
  ["an empty list, which clears the one before", { todos: [] }, []],
  [
    "entries that are complete, of a call that is still streamed",
    { todos: [sail, { content: "Pa" }, null] },
    [sail],
  ],
])("a list of tasks is recognised by its shape: %s", (_, value, tasks) => {
  expect(taskListIn(value)).toMatchObject(tasks as object);
  expect(taskListIn(value)).toHaveLength((tasks as unknown[]).length);
});

test.each([
  [{ todos: ["Sail"] }],
  [{ plan: "Sail" }],
  [{ plan: [{ step: "Sail", status: "shipped" }] }],
  [{ orders: [sail] }],
  [[sail]],
  ["todos"],
  [null],
  [undefined],
])("%j is no list of tasks", (value) => {
  expect(taskListIn(value)).toBeUndefined();
});
