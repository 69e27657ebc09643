/** capstan schedules: scheduled work with its next run and the result of the last one. */
import { ScheduleCreate } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const schedules: Command = {
  usage:
    'capstan schedules [list | add <capability> --cron "0 9 * * 1-5" [--agent <agent>] [--message "Report the tide"] | run <id> | pause <id> | resume <id> | remove <id>] [--timezone Europe/Berlin]',
  summary: "Lists, creates, runs, pauses, resumes and removes schedules.",
  options: {
    cron: { type: "string" },
    timezone: { type: "string" },
    agent: { type: "string" },
    message: { type: "string" },
  },
  run: (context) =>
    runVerb(context, schedules.usage, {
      list: { run: list },
      add: { needs: "a capability's id", run: add },
      run: { needs: "a schedule's id", run: runNow },
      pause: { needs: "a schedule's id", run: (_, id) => change(context, id, false) },
      resume: { needs: "a schedule's id", run: (_, id) => change(context, id, true) },
      remove: { needs: "a schedule's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).schedules.all();
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ id, capability, cron, timezone, agent, next_run_at, last_run }) => [
    id,
    capability,
    `${cron} (${timezone})`,
    agent?.name ?? "",
    next_run_at ?? "paused",
    [last_run?.status, last_run?.reason].filter(Boolean).join(": "),
  ]);
  const head = ["ID", "CAPABILITY", "CRON", "AGENT", "NEXT", "LAST"];
  return print(itemsOf(answer.value), () => printList(head, rows, terminal.columns, "No schedules yet."));
}

async function add({ server, options, print }: CommandContext, capability: string) {
  const body = requestBody(
    ScheduleCreate,
    {
      capability,
      cron: options.cron,
      timezone: options.timezone,
      agent_id: options.agent,
      payload: options.message === undefined ? undefined : { message: options.message },
    },
    schedules.usage,
  );
  if (!body.ok) return body;
  const made = await (await server()).schedules.put(body.value);
  return made.ok ? print(made.value, `${made.value.id}: next at ${made.value.next_run_at}\n`) : made;
}

async function runNow({ server, print }: CommandContext, id: string) {
  const fired = await (await server()).schedules.run(id);
  return fired.ok ? print(fired.value, `Runs now, in session ${fired.value.session_id}.\n`) : fired;
}

async function change({ server, print }: CommandContext, id: string, enabled: boolean) {
  const changed = await (await server()).schedules.update(id, { enabled });
  if (!changed.ok) return changed;
  return print(changed.value, enabled ? `${id}: next at ${changed.value.next_run_at}\n` : `${id}: paused\n`);
}

async function remove({ server, print }: CommandContext, id: string) {
  const removed = await (await server()).schedules.remove(id);
  return removed.ok ? print({ id }, `${id}: removed\n`) : removed;
}
