/** capstan run: finds the capability for a task and executes it; each step is shown as it starts and ends. */
import type { Api, TaskAnswer, TaskEvent } from "@capstan/client";
import { TaskRequest } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { jsonDocument } from "../json-text.ts";
import { requestBody } from "../request-body.ts";

export const run: Command = {
  usage:
    'capstan run "<task>" [--agent agent] [--session id] [--yes] [--no-wait] [--user email] [--key idempotency-key] [--timeout seconds]',
  summary: "Executes a task and prints the result. Ctrl-C stops following it; the task keeps running.",
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
    if (task === "") return fail("command_invalid", { message: "a task is required", usage: run.usage });
    const { print } = context;
    const api = await context.server();
    const proposed = await execute(task, api, context);
    if (!proposed.ok) return proposed;
    const confirm = await confirmPlan(proposed.value, context);
    const answer = confirm === undefined ? proposed : await execute(task, api, context, confirm);
    if (!answer.ok) return answer;
    print(answer.value, () => described(answer.value));
    return answer.value.status === "ok" || answer.value.status === "partial" ? 0 : 1;
  },
};

async function execute(
  task: string,
  api: Api,
  { options, json, terminal }: CommandContext,
  confirm?: string,
): Promise<Result<TaskAnswer>> {
  const body = requestBody(TaskRequest, bodyOf(task, options, confirm), run.usage);
  if (!body.ok) return body;
  // A proposal is stored under its key; the confirmed plan is executed once under a separate key.
  const key = typeof options.key === "string" ? options.key : undefined;
  const idempotencyKey = key !== undefined && confirm !== undefined ? `${key}:confirmed` : key;
  const started = await api.route.start(body.value, { idempotencyKey });
  if (!started.ok) return started;
  return follow(started.value.taskId, api, json ? () => {} : (text) => terminal.err(text));
}

/** Shows the plan and asks; returns the confirmation to send on yes. */
async function confirmPlan(
  { proposal, plan }: TaskAnswer,
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

const bodyOf = (task: string, options: CommandContext["options"], confirm: string | undefined) => ({
  task,
  wait: options["no-wait"] !== true,
  confirm,
  sessionId: options.session,
  agentId: options.agent,
  context: options.user === undefined ? undefined : { userId: options.user },
  timeoutMs: options.timeout === undefined ? undefined : Math.round(Number(options.timeout) * 1000),
});

async function follow(taskId: string, api: Api, say: (text: string) => void): Promise<Result<TaskAnswer>> {
  let response: TaskAnswer | undefined;
  const followed = await api.route.follow(taskId, (event) => {
    if (event.type === "done") response = event.response;
    else say(progressLine(event));
  });
  if (!followed.ok) return followed;
  return response ? ok(response) : answerOf(taskId, api);
}

/** The stream broke: poll for the answer. */
async function answerOf(taskId: string, api: Api): Promise<Result<TaskAnswer>> {
  const asked = await api.route.task(taskId);
  if (!asked.ok) return asked;
  const { response } = asked.value;
  if (response) return ok(response);
  return fail("conflict", {
    message: "The task is still running, but its progress can no longer be followed.",
    nextStep: `GET /api/tasks/${taskId} returns the answer when it is done.`,
  });
}

function progressLine(event: Exclude<TaskEvent, { type: "done" }>): string {
  switch (event.type) {
    case "planned":
      return `${event.intent.label} (confidence ${event.intent.confidence}), ${counted(event.plan.length)}\n`;
    case "step-started":
      return `${event.step}. ${event.goal} ...\n`;
    case "approval-needed":
      return `${event.step}. requires approval: capstan approvals approve ${event.approvalId}\n`;
    case "step-ended":
      return `${event.step}. ${event.capabilityId}: ${event.ok ? "done" : (event.error?.message ?? "failed")}\n`;
  }
}

const counted = (steps: number): string => (steps === 1 ? "1 step" : `${steps} steps`);

function described({ intent, status, execution, diagnostics, session }: TaskAnswer): string {
  const results = execution.steps.flatMap(({ ok: done, data }) => (done ? [jsonDocument(data)] : []));
  const notes = diagnostics.notes.map((note) => `note: ${note}\n`);
  const files = session ? [`session ${session.id}: ${session.files.join(", ") || "no files"}\n`] : [];
  return [`${intent.label}: ${status}\n`, ...results, ...files, ...notes].join("");
}
