/** capstan run: finds the capability a task needs and executes it; each step is shown as it starts and ends. */
import { type Connection, readServerSentEvents } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import type { ExecutedStep, TaskResponse } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";

export const run: Command = {
  usage:
    'capstan run "<task>" [--agent id] [--session id] [--yes] [--no-wait] [--user email] [--key idempotency-key] [--timeout seconds]',
  summary: "Executes a task and prints what came of it; Ctrl-C leaves it running.",
  options: {
    session: { type: "string" },
    yes: { type: "boolean" },
    "no-wait": { type: "boolean" },
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
    const { terminal, json } = context;
    const proposed = await execute(task, connection, context);
    if (!proposed.ok) return proposed;
    const confirm = await confirmed(proposed.value, context);
    const answer = confirm === undefined ? proposed : await execute(task, connection, context, confirm);
    if (!answer.ok) return answer;
    terminal.out(json ? `${JSON.stringify(answer.value, null, 2)}\n` : described(answer.value));
    return answer.value.status === "ok" || answer.value.status === "partial" ? 0 : 1;
  },
};

async function execute(
  task: string,
  connection: Connection,
  context: CommandContext,
  confirm?: string,
): Promise<Result<TaskResponse>> {
  const started = await start(task, connection, context, confirm);
  if (!started.ok) return started;
  const say = context.json ? () => {} : (text: string) => context.terminal.err(text);
  return follow(started.value, connection, say);
}

/** Shows what would be done and asks; the confirmation to send when a person says yes. */
async function confirmed(
  { proposal, plan }: TaskResponse,
  { terminal, options, json }: CommandContext,
): Promise<string | undefined> {
  if (!proposal) return undefined;
  if (options.yes === true) return proposal.confirm;
  if (json || !terminal.isInteractive) return undefined;
  for (const { step, capabilityId, tool, payload } of plan)
    terminal.err(
      `${step}. ${capabilityId}${tool === undefined ? "" : ` ${tool}`} ${JSON.stringify(payload)}\n`,
    );
  for (const why of proposal.why) terminal.err(`${why}\n`);
  const said = await terminal.ask("Do this? [y/N] ");
  return /^y(es)?$/i.test(said?.trim() ?? "") ? proposal.confirm : undefined;
}

interface Started {
  readonly taskId: string;
}

function start(
  task: string,
  connection: Connection,
  { options }: CommandContext,
  confirm: string | undefined,
): Promise<Result<Started>> {
  const body = {
    task,
    async: true,
    wait: options["no-wait"] !== true,
    ...(confirm !== undefined && { confirm }),
    ...(options.session !== undefined && { sessionId: options.session }),
    ...(options.agent !== undefined && { agentId: options.agent }),
    ...(options.user !== undefined && { context: { userId: options.user } }),
    ...(options.timeout !== undefined && { timeoutMs: Math.round(Number(options.timeout) * 1000) }),
  };
  // What was proposed under a key is answered under that key; the confirmed plan is executed once under one of its own.
  const key =
    typeof options.key === "string" && confirm !== undefined ? `${options.key}:confirmed` : options.key;
  const headers = typeof key === "string" ? { "idempotency-key": key } : {};
  return connection.json<Started>("POST", "/api/execute-task", { json: body, headers });
}

/** As `GET /api/tasks/{id}/events` tells it. */
type TaskEvent =
  | ({ readonly type: "planned" } & Pick<TaskResponse, "intent" | "plan">)
  | { readonly type: "step-started"; readonly step: number; readonly goal: string }
  | { readonly type: "approval-needed"; readonly step: number; readonly approvalId: string }
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
    case "approval-needed":
      return `${event.step}. waits for a person: capstan approvals approve ${event.approvalId}\n`;
    case "step-ended":
      return `${event.step}. ${event.capabilityId}: ${event.ok ? "done" : (event.error?.message ?? "failed")}\n`;
  }
}

const counted = (steps: number): string => (steps === 1 ? "1 step" : `${steps} steps`);

function described({ intent, status, execution, diagnostics, session }: TaskResponse): string {
  const results = execution.steps.flatMap(({ ok: done, data }) =>
    done ? [`${JSON.stringify(data, null, 2)}\n`] : [],
  );
  const notes = diagnostics.notes.map((note) => `note: ${note}\n`);
  const files = session ? [`session ${session.id}: ${session.files.join(", ") || "no files"}\n`] : [];
  return [`${intent.label}: ${status}\n`, ...results, ...files, ...notes].join("");
}
