/**
 * stateless_todo_list: a task list that lives in the conversation. Nothing is stored: every call contains the whole list, and
 * the model reads its earlier calls to remember it.
 */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";

const MAX_TODOS = 200; // a longer list is a document, and costs its full length on every update

const todo = z.object({
  content: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .describe('What to do, in imperative form, for example "Run tests" or "Fix the bug".'),
  activeForm: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .describe('The same in present continuous, for example "Running tests" or "Fixing the bug".'),
  status: z.enum(["pending", "in_progress", "completed"]).describe("Where the task stands."),
});
type Todo = z.output<typeof todo>;

const writeTodos = defineTool({
  name: "write_todos",
  replacesEarlier: true,
  risk: "write",
  writes: "internal",
  description: "Create or update the task list. Always send the complete list: it replaces the previous one.",
  input: z.object({ todos: z.array(todo).max(MAX_TODOS).describe("The complete list, in order.") }),
  output: z.object({
    success: z.literal(true),
    total_tasks: z.int(),
    pending: z.int(),
    in_progress: z.int(),
    completed: z.int(),
    todos: z.array(todo),
    warnings: z.array(z.string()),
  }),
  idempotent: true,
  /** Clients show the list next to the conversation. The shared state belongs to the client and stays unchanged. */
  events: (_input, { todos }, { sessionId }) => [
    {
      type: "ACTIVITY_SNAPSHOT",
      messageId: `todos-${sessionId}`,
      activityType: "TODO_LIST",
      content: { todos },
      replace: true,
    },
  ],
  run({ todos }) {
    const count = (status: Todo["status"]) => todos.filter((task) => task.status === status).length;
    const counts = {
      pending: count("pending"),
      in_progress: count("in_progress"),
      completed: count("completed"),
    };
    return ok({
      success: true as const,
      total_tasks: todos.length,
      ...counts,
      todos,
      warnings: warningsOf(counts),
    });
  },
});

const PROMPT = `You have a task list, kept with the write_todos tool. Use it to plan and to show progress on work of several steps.

Use it when:
1. Complex multi-step tasks: the work needs 3 or more distinct steps.
2. User provides multiple tasks: the user gives a list of things to do.
3. Non-trivial work: the task needs careful planning.
4. After receiving new instructions: capture the requirements as tasks immediately.
5. When starting work: mark a task as in_progress BEFORE beginning it.
6. After completing work: mark the task as completed and add any follow-up tasks you found.

Leave it out for a single simple step or a plain question.

Best practices:
1. One task in progress: exactly one task is in_progress at a time.
2. Update immediately: mark a task completed as soon as it is done, don't batch updates.
3. Replace entire list: each write_todos call replaces the full list, so send every task each time.
4. Completion criteria: only mark a task completed when it is fully done (tests pass, no errors). If it is blocked, keep it in_progress and add a task for what blocks it.

Each task has content (imperative, "Run tests"), activeForm (present continuous, "Running tests") and status (pending, in_progress, completed).`;

export const statelessTodoList = defineCapability({
  id: CAPABILITY_IDS.STATELESS_TODO_LIST,
  name: "Task Management",
  description:
    "Enables agents to create and manage structured task lists for tracking multi-step work progress. State is maintained in conversation history.",
  icon: "list-checks",
  category: "Productivity",
  systemPrompt: PROMPT,
  tools: [writeTodos],
  routing: {
    triggers: [
      "make a todo list",
      "plan these tasks",
      "track the steps",
      "create a task list",
      "break this down into steps",
      "update the task list",
      "mark the task as completed",
    ],
    tags: ["todo", "tasks", "plan", "checklist", "progress", "steps"],
    domain: "productivity",
    actions: ["plan", "create", "update", "track", "organize"],
  },
});

function warningsOf({ pending, in_progress }: { pending: number; in_progress: number }): string[] {
  if (in_progress > 1)
    return [`${in_progress} tasks are in_progress. Keep exactly one task in_progress at a time.`];
  if (in_progress === 0 && pending > 0)
    return [
      "No task is in_progress although tasks are pending. Mark the one you are working on as in_progress.",
    ];
  return [];
}
