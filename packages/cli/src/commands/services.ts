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

const COLUMNS = ["name", "state", "restarts", "url", "last_exit"];

async function status({ server, json, terminal }: CommandContext) {
  const answer = await (await server()).json<{ items: Record<string, unknown>[] }>("GET", "/v1/services");
  if (!answer.ok) return answer;
  const rows = answer.value.items.map((item) => COLUMNS.map((key) => String(item[key] ?? "")));
  const head = COLUMNS.map((name) => name.toUpperCase());
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : printList(
          head,
          rows,
          terminal.columns,
          "No background service is installed. `capstan new rt <name>` writes one.",
        ),
  );
  return 0;
}

async function logs({ server, terminal }: CommandContext, name: string) {
  const answer = await (await server()).send("GET", `/v1/services/${encodeURIComponent(name)}/logs`);
  if (!answer.ok) return answer;
  terminal.out(await answer.value.text());
  return 0;
}

/** A folder is started by its path; everything else by the service's or package's name. */
async function change({ server, json, terminal }: CommandContext, verb: "start" | "stop", subject: string) {
  const folder = /[/.]/.test(subject) ? resolve(subject) : undefined;
  const path = `/v1/services/${encodeURIComponent(folder ? "folder" : subject)}/${verb}`;
  const answer = await (await server()).json<Record<string, unknown>>("POST", path, {
    json: folder ? { folder } : {},
  });
  if (!answer.ok) return answer;
  terminal.out(
    json ? `${JSON.stringify(answer.value, null, 2)}\n` : `${answer.value.name}: ${answer.value.state}\n`,
  );
  return 0;
}
