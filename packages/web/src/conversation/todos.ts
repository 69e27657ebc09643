/** Finds a list of tasks by its shape, whichever tool wrote it: in a call's arguments, in an activity, in the shared state. */
import type { Todo } from "./entries.ts";

const STATUSES: readonly unknown[] = ["pending", "in_progress", "completed"];

export function todosIn(value: unknown): Todo[] | undefined {
  const given = (value as { todos?: unknown } | null | undefined)?.todos;
  if (!Array.isArray(given)) return undefined;
  const todos = given.filter(
    (each): each is Todo => typeof each?.content === "string" && STATUSES.includes(each.status),
  );
  return todos.length === 0 && given.length > 0 ? undefined : todos; // a list of something else
}
