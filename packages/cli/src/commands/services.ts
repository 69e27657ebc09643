/** capstan services: background services of packages, without Docker. */
import { resolve } from "node:path";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";

export const services: Command = {
  usage: "capstan services [status | start <name or folder> | stop <name> | logs <name>]",
  summary: "Starts, stops and shows background services.",
  async run(context) {
    const [verb = "status", subject = ""] = context.args;
    if (verb === "status") return status(context);
    if (verb === "logs") return logs(context, subject);
    if (verb === "start" || verb === "stop") return change(context, verb, subject);
    return fail("command_invalid", { message: `"${verb}" is not a verb of services`, usage: services.usage });
  },
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
