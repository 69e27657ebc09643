/** Finds a list of tasks by its shape, whichever tool or program wrote it: in a call's arguments, in an activity, in shared state. */

export interface ListedTask {
  readonly content: string;
  readonly activeForm?: string;
  readonly status: "pending" | "in_progress" | "completed";
}

const STATUSES: readonly unknown[] = ["pending", "in_progress", "completed"];

type Fields = Readonly<Record<string, unknown>> | null | undefined;

/** Undefined when there is none; entries that are incomplete, because the call is still streamed, are left out. */
export function taskListIn(value: unknown): ListedTask[] | undefined {
  const fields = value as Fields;
  const given = [fields?.todos, fields?.plan].find((list) => Array.isArray(list));
  if (given === undefined) return undefined;
  const tasks = given.flatMap(listedTask);
  return tasks.length === 0 && given.length > 0 ? undefined : tasks; // a list of something else
}

function listedTask(entry: Fields): ListedTask[] {
  const content = [entry?.content, entry?.description, entry?.step].find((text) => typeof text === "string");
  if (content === undefined || !STATUSES.includes(entry?.status)) return [];
  return [{ ...entry, content } as ListedTask];
}
