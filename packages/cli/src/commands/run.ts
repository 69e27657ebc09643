/** capstan run: finds the capability a task needs and executes it; each step is shown as it starts and ends. */
import { type Connection, readServerSentEvents } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import type { ExecutedStep, TaskResponse } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";

export const run: Command = {
  usage: 'capstan run "<task>" [--agent id] [--user email] [--key idempotency-key] [--timeout seconds]',
  summary: "Executes a task and prints what came of it; Ctrl-C leaves it running.",
  options: {
    agent: { type: "string" },
    user: { type: "string" },
    key: { type: "string" },
    timeout: { type: "string" },
  },
  examples: ['capstan run "suggest a name for my bakery"'],
  async run(context) {
    const task = context.args.join(" ");
    if (task === "") return fail("command_invalid", { message: "a task is needed", usage: run.usage });
    const connection = await context.server();
    const started = await start(task, connection, context);
    if (!started.ok) return started;
    const { terminal, json } = context;
    const say = json ? () => {} : (text: string) => terminal.err(text);
    const answer = await follow(started.value, connection, say);
    if (!answer.ok) return answer;
    terminal.out(json ? `${JSON.stringify(answer.value, null, 2)}\n` : described(answer.value));
    return answer.value.status === "ok" || answer.value.status === "partial" ? 0 : 1;
  },
};

interface Started {
  readonly taskId: string;
}

function start(task: string, connection: Connection, { options }: CommandContext): Promise<Result<Started>> {
  const body = {
    task,
    async: true,
    ...(options.agent !== undefined && { agentId: options.agent }),
    ...(options.user !== undefined && { context: { userId: options.user } }),
    ...(options.timeout !== undefined && { timeoutMs: Math.round(Number(options.timeout) * 1000) }),
  };
  const headers = typeof options.key === "string" ? { "idempotency-key": options.key } : {};
  return connection.json<Started>("POST", "/api/execute-task", { json: body, headers });
}

/** As `GET /api/tasks/{id}/events` tells it. */
type TaskEvent =
  | ({ readonly type: "planned" } & Pick<TaskResponse, "intent" | "plan">)
  | { readonly type: "step-started"; readonly step: number; readonly goal: string }
  | ({ readonly type: "step-ended" } & ExecutedStep)
  | { readonly type: "done"; readonly response: TaskResponse };

async function follow(
  { taskId }: Started,
  connection: Connection,
  say: (text: string) => void,
): Promise<Result<TaskResponse>> {
  const stream = await connection.send("GET", `/api/tasks/${taskId}/events`);
  if (!stream.ok) return stream;
  let response: TaskResponse | undefined;
  if (stream.value.body)
    await readServerSentEvents(stream.value.body, ({ data }) => {
      const event = JSON.parse(data) as TaskEvent;
      if (event.type === "done") response = event.response;
      else say(progressLine(event));
    }).catch(() => {}); // a stream that breaks: the answer is asked for below
  return response ? ok(response) : answerOf(taskId, connection);
}

async function answerOf(taskId: string, connection: Connection): Promise<Result<TaskResponse>> {
  const path = `/api/tasks/${taskId}`;
  const asked = await connection.json<{ response?: TaskResponse }>("GET", path);
  if (!asked.ok) return asked;
  const { response } = asked.value;
  if (response) return ok(response);
  return fail("conflict", {
    message: "The task is still running, and its progress cannot be followed any more.",
    nextStep: `GET ${path} answers when it is done.`,
  });
}

function progressLine(event: Exclude<TaskEvent, { type: "done" }>): string {
  switch (event.type) {
    case "planned":
      return `${event.intent.label} (confidence ${event.intent.confidence}), ${counted(event.plan.length)}\n`;
    case "step-started":
      return `${event.step}. ${event.goal} ...\n`;
    case "step-ended":
      return `${event.step}. ${event.capabilityId}: ${event.ok ? "done" : (event.error?.message ?? "failed")}\n`;
  }
}

const counted = (steps: number): string => (steps === 1 ? "1 step" : `${steps} steps`);

function described({ intent, status, execution, diagnostics }: TaskResponse): string {
  const results = execution.steps.flatMap(({ ok: done, data }) =>
    done ? [`${JSON.stringify(data, null, 2)}\n`] : [],
  );
  const notes = diagnostics.notes.map((note) => `note: ${note}\n`);
  return [`${intent.label}: ${status}\n`, ...results, ...notes].join("");
}
