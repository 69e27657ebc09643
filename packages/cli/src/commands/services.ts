/** capstan services: background services of packages, without Docker. */
import { resolve } from "node:path";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const services: Command = {
  usage: "capstan services [status | start <name or folder> | stop <name> | logs <name>]",
  summary: "Starts, stops and shows background services.",
  run: (context) =>
    runVerb(context, services.usage, {
      status: { run: status },
      start: { needs: "a service's name or folder", run: (_, name) => change(context, "start", name) },
      stop: { needs: "a service's name", run: (_, name) => change(context, "stop", name) },
      logs: { needs: "a service's name", run: logs },
    }),
};

async function status({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).services.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ name, state, restarts, url, last_exit }) => [
    name,
    state,
    String(restarts),
    url,
    last_exit ?? "",
  ]);
  const head = ["NAME", "STATE", "RESTARTS", "URL", "LAST_EXIT"];
  const none = "No background services installed. Create one with `capstan new rt <name>`.";
  return print(answer.value, () => printList(head, rows, terminal.columns, none));
}

async function logs({ server, print }: CommandContext, name: string) {
  const answer = await (await server()).services.logs(name);
  return answer.ok ? print({ name, logs: answer.value }, answer.value) : answer;
}

/** A folder is started by its path; anything else by the service's or package's name. */
async function change({ server, print }: CommandContext, verb: "start" | "stop", subject: string) {
  const folder = verb === "start" && /[/.]/.test(subject) ? resolve(subject) : undefined;
  const { services } = await server();
  const answer =
    verb === "stop"
      ? await services.stop(subject)
      : await services.start(folder ? "folder" : subject, folder);
  return answer.ok ? print(answer.value, `${answer.value.name}: ${answer.value.state}\n`) : answer;
}
