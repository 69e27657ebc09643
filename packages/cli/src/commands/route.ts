/** capstan route: which capability serves a task, why, near matches, and the plan. Nothing is executed. */
import type { RouteAnswer } from "@capstan/client";
import { RouteRequest } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command } from "../command.ts";
import { printTable } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";

export const route: Command = {
  usage: 'capstan route "<task>" [--agent agent] [--top 5]',
  summary: "Shows which capability a task would go to, with reasons and the plan. Nothing is executed.",
  options: { agent: { type: "string" }, top: { type: "string" } },
  examples: ['capstan route "create a business plan for an AI bookkeeping startup"'],
  async run({ args, options, server, print, terminal }) {
    const task = args.join(" ");
    if (task === "") return fail("command_invalid", { message: "a task is required", usage: route.usage });
    const asked = { task, agent_id: options.agent, top_k: numberOf(options.top) };
    const body = requestBody(RouteRequest, asked, route.usage);
    if (!body.ok) return body;
    const answer = await (await server()).route.explain(body.value);
    return answer.ok ? print(answer.value, () => described(answer.value, terminal.columns)) : answer;
  },
};

function described({ intent, matches, rejected, plan }: RouteAnswer, columns: number): string {
  const ranked = matches.map(
    ({ id, score, reasons }) => `  ${id}  ${score.toFixed(2)}\n${wrapped(reasons, columns)}`,
  );
  const nearly = rejected.map(({ id, score, why }) => [`  ${id}`, score.toFixed(2), why]);
  const steps = plan.map(
    ({ step, goal, method, route, payload, missing }) =>
      `  ${step}. ${goal}\n     ${method} ${route} ${JSON.stringify(payload)}${missing ? `\n     missing: ${missing.join(", ")}` : ""}\n`,
  );
  return [
    matches.length === 0
      ? "No capability fits this task.\n"
      : `Intent ${intent.label}, confidence ${intent.confidence.toFixed(2)}\n`,
    ...(ranked.length > 0 ? [`\nMatches:\n${ranked.join("")}`] : []),
    ...(steps.length > 0 ? [`\nPlan:\n${steps.join("")}`] : []),
    ...(nearly.length > 0 ? [`\nAlmost matched:\n${printTable(nearly, columns)}`] : []),
  ].join("");
}

const INDENT = "    ";
const WIDEST = 110;

/** Shows all reasons, on as many lines as needed. */
function wrapped(reasons: readonly string[], columns: number): string {
  const width = Math.min(columns, WIDEST) - INDENT.length;
  const lines: string[] = [];
  for (const reason of reasons) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + reason.length + 2 <= width)
      lines[lines.length - 1] = `${last}, ${reason}`;
    else lines.push(reason);
  }
  return lines.map((line) => `${INDENT}${line}\n`).join("");
}
