/** capstan services: background services of packages, without Docker. */
import { resolve } from "node:path";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { printTable } from "../print-table.ts";

export const services: Command = {
  usage: "capstan services [status | start <name or folder> | stop <name> | logs <name>]",
  summary: "Starts, stops and shows background services.",
  async run({ args: [verb = "status", subject = ""], server, json, terminal }) {
    const connection = await server();
    if (verb === "status") {
      const answer = await connection.json<{ items: Record<string, unknown>[] }>("GET", "/v1/services");
      if (!answer.ok) return answer;
      const rows = answer.value.items.map((item) =>
        ["name", "state", "healthy", "restarts", "url"].map((key) => String(item[key] ?? "")),
      );
      terminal.out(
        json
          ? `${JSON.stringify(answer.value, null, 2)}\n`
          : printTable([["NAME", "STATE", "HEALTHY", "RESTARTS", "URL"], ...rows], terminal.columns),
      );
      return 0;
    }
    if (verb === "logs") {
      const answer = await connection.send("GET", `/v1/services/${encodeURIComponent(subject)}/logs`);
      if (!answer.ok) return answer;
      terminal.out(await answer.value.text());
      return 0;
    }
    if (verb !== "start" && verb !== "stop")
      return fail("command_invalid", {
        message: `"${verb}" is not a verb of services`,
        usage: services.usage,
      });
    const folder = subject.includes("/") || subject.startsWith(".") ? resolve(subject) : undefined;
    const name = folder ? "folder" : subject;
    const answer = await connection.json<Record<string, unknown>>(
      "POST",
      `/v1/services/${encodeURIComponent(name)}/${verb}`,
      { json: folder ? { folder } : {} },
    );
    if (!answer.ok) return answer;
    terminal.out(
      json ? `${JSON.stringify(answer.value, null, 2)}\n` : `${answer.value.name}: ${answer.value.state}\n`,
    );
    return 0;
  },
};
