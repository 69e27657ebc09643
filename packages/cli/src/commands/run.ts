/** capstan run: finds the capability a task needs and executes it, with progress while it works. */
import { fail, type TaskResponse } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";

export const run: Command = {
  usage: 'capstan run "<task>" [--agent id] [--user email] [--key idempotency-key]',
  summary: "Executes a task and prints what came of it.",
  options: { agent: { type: "string" }, user: { type: "string" }, key: { type: "string" } },
  examples: ['capstan run "suggest a name for my bakery"'],
  async run({ args, options, json, server, terminal }) {
    const task = args.join(" ");
    if (task === "") return fail("command_invalid", { message: "a task is needed", usage: run.usage });
    const connection = await server();
    const body = {
      task,
      ...(options.agent !== undefined && { agentId: options.agent }),
      ...(options.user !== undefined && { context: { userId: options.user } }),
    };
    const stop = json ? () => {} : progress(terminal);
    const headers = typeof options.key === "string" ? { "idempotency-key": options.key } : {};
    const answer = await connection.json<TaskResponse>("POST", "/api/execute-task", { json: body, headers });
    stop();
    if (!answer.ok) return answer;
    terminal.out(json ? `${JSON.stringify(answer.value, null, 2)}\n` : described(answer.value));
    return answer.value.status === "ok" || answer.value.status === "partial" ? 0 : 1;
  },
};

const TICK_MS = 1000;

/** A dot a second, so that a long task is seen to work. */
function progress({ err }: CommandContext["terminal"]): () => void {
  const started = Date.now();
  const timer = setInterval(() => err(`working, ${Math.round((Date.now() - started) / 1000)} s\n`), TICK_MS);
  return () => clearInterval(timer);
}

function described({ intent, status, execution, diagnostics }: TaskResponse): string {
  const steps = execution.steps.map(({ step, capabilityId, ok, data, error }) =>
    ok
      ? `${step}. ${capabilityId}: done\n${JSON.stringify(data, null, 2)}\n`
      : `${step}. ${capabilityId}: ${error?.message ?? "failed"}\n   ${error?.nextStep ?? ""}\n`,
  );
  const notes = diagnostics.notes.map((note) => `note: ${note}\n`);
  return [`${intent.label}: ${status}\n`, ...steps, ...notes].join("");
}
