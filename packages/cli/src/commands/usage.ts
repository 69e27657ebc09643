/** capstan usage: tokens and cost by agent, model or user, and the success of tools; also as CSV. */
import { ToolUsageQuery, UsagePeriodQuery, UsageQuery } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList, printTable } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

const DAY_MS = 86_400_000;

export const usage: Command = {
  usage:
    "capstan usage [list | tools | export] [--by model|agent|user] [--sort slowest|failing|calls] [--days 30]",
  summary: "Shows tokens and cost, or the success of tools; `export` writes CSV.",
  options: { by: { type: "string" }, sort: { type: "string" }, days: { type: "string" } },
  run: (context) =>
    runVerb(context, usage.usage, { list: { run: list }, tools: { run: tools }, export: { run: exportCsv } }),
};

function periodOf({ options }: CommandContext): Result<{ from?: string }> {
  if (options.days === undefined) return ok({});
  const days = numberOf(options.days);
  if (typeof days !== "number" || days <= 0)
    return fail("command_invalid", { message: "--days must be a number above 0", usage: usage.usage });
  return ok({ from: new Date(Date.now() - days * DAY_MS).toISOString() });
}

async function list(context: CommandContext) {
  const period = periodOf(context);
  if (!period.ok) return period;
  const query = requestBody(UsageQuery, { ...period.value, group_by: context.options.by }, usage.usage);
  if (!query.ok) return query;
  const answer = await (await context.server()).usage.get(query.value);
  if (!answer.ok) return answer;
  const { groups, total, group_by, from, to } = answer.value;
  const rows = [...groups, { ...total, name: "total" }].map((row) => [
    row.name,
    String(row.calls),
    String(row.input_tokens),
    String(row.output_tokens),
    `$${row.cost_usd.toFixed(4)}`,
    row.unpriced_calls > 0 ? `${row.unpriced_calls} without a price` : "",
  ]);
  const head = [group_by.toUpperCase(), "CALLS", "INPUT", "OUTPUT", "COST", ""];
  return context.print(answer.value, () =>
    total.calls === 0
      ? `No model call from ${from} to ${to}.\n`
      : printTable([head, ...rows], context.terminal.columns),
  );
}

async function tools(context: CommandContext) {
  const period = periodOf(context);
  if (!period.ok) return period;
  const query = requestBody(ToolUsageQuery, { ...period.value, sort: context.options.sort }, usage.usage);
  if (!query.ok) return query;
  const answer = await (await context.server()).usage.tools(query.value);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ capability_id, tool, calls, failures, p50_ms, p95_ms }) => [
    tool ?? "",
    String(calls),
    String(failures),
    `${p50_ms} ms`,
    `${p95_ms} ms`,
    capability_id,
  ]);
  const head = ["TOOL", "CALLS", "FAILED", "P50", "P95", "CAPABILITY"];
  return context.print(answer.value, () =>
    printList(head, rows, context.terminal.columns, "No tool was called."),
  );
}

async function exportCsv(context: CommandContext) {
  const period = periodOf(context);
  if (!period.ok) return period;
  const query = requestBody(UsagePeriodQuery, period.value, usage.usage);
  if (!query.ok) return query;
  const answer = await (await context.server()).usage.export(query.value);
  return answer.ok ? context.print({ csv: answer.value }, answer.value) : answer;
}
