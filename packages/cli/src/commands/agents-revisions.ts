/** capstan agents revisions, diff, restore, label, labels: the history of an agent and what is used of it. */
import type { AgentLabel, RevisionDiff } from "@capstan/client";
import { LabelChange } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { findAgent } from "../agents/find-agent.ts";
import type { CommandContext } from "../command.ts";
import { itemsOf, printList, printTable } from "../print-table.ts";
import { requestBody } from "../request-body.ts";

const USAGE =
  "capstan agents revisions <agent> | diff <agent> <from> [<to>] | restore <agent> <number> [--why <text>] [--yes] | label <agent> <draft|live|canary> <number|none> [--share <percent>] [--why <text>] [--yes] | labels <agent>";

export async function listRevisions({ server, print, terminal }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const answer = await api.agents.revisions(agent.value.id);
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ number, label, at, by, why }) => [
    String(number),
    label ?? "",
    at,
    by,
    why,
  ]);
  return print(itemsOf(answer.value), () =>
    printList(["NUMBER", "LABEL", "AT", "BY", "WHY"], rows, terminal.columns, "No revisions."),
  );
}

/** From one revision to another, or to the live one. */
export async function diffRevisions({ server, print, args }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const from = numberOf(args[2]);
  if (!from.ok) return from;
  const to = args[3] === undefined ? ok(agent.value.version) : numberOf(args[3]);
  if (!to.ok) return to;
  const answer = await api.agents.revision(agent.value.id, to.value, from.value);
  if (!answer.ok) return answer;
  return print(answer.value.diff, () => diffText(answer.value.diff, to.value));
}

export async function restoreRevision({ server, print, args, options }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const number = numberOf(args[2]);
  if (!number.ok) return number;
  const answer = await api.agents.restore(agent.value.id, number.value, {
    ...(typeof options.why === "string" && { why: options.why }),
    yes: options.yes === true,
  });
  if (!answer.ok) return answer;
  const { name, version } = answer.value;
  return print(answer.value, `Restored revision ${number.value} of ${name}; revision ${version} is live.\n`);
}

export async function labelRevision(context: CommandContext, wanted: string) {
  const { server, print, args, options, terminal } = context;
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const [, , label, number] = args;
  const revision = number === "none" ? ok(null) : numberOf(number);
  if (!revision.ok) return revision;
  const change = requestBody(
    LabelChange,
    {
      label,
      revision: revision.value,
      share: options.share === undefined ? undefined : Number(options.share),
      why: options.why,
      yes: options.yes,
    },
    USAGE,
  );
  if (!change.ok) return change;
  const answer = await api.agents.label(agent.value.id, change.value);
  return answer.ok ? print(answer.value, () => labelsText(answer.value.items, terminal.columns)) : answer;
}

export async function listLabels({ server, print, terminal }: CommandContext, wanted: string) {
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const answer = await api.agents.labels(agent.value.id);
  return answer.ok ? print(answer.value, () => labelsText(answer.value.items, terminal.columns)) : answer;
}

function numberOf(text: string | undefined): Result<number> {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text)
    ? ok(Number(text))
    : fail("command_invalid", { message: "the number of a revision is missing", usage: USAGE });
}

function labelsText(items: readonly AgentLabel[], columns: number): string {
  const rows = items.map(({ label, revision, share, figures }) => [
    label,
    String(revision),
    `${share} %`,
    String(figures.sessions),
    String(figures.runs),
    String(figures.failed),
    `${figures.thumbs_up} / ${figures.thumbs_down}`,
    `$${figures.cost_usd.toFixed(4)}`,
    figures.mean_ms === null ? "" : `${(figures.mean_ms / 1000).toFixed(1)} s`,
  ]);
  const head = ["LABEL", "REVISION", "SHARE", "SESSIONS", "RUNS", "FAILED", "UP / DOWN", "COST", "MEAN TIME"];
  return printList(head, rows, columns, "No labels.");
}

export function diffText(
  { against, fields, prompt, pins, rights, tokens }: RevisionDiff,
  to: number,
): string {
  const sign = { same: " ", removed: "-", added: "+" };
  const shown = (value: unknown) => (value === null ? "none" : JSON.stringify(value));
  const changes = [
    ...fields.map(({ field, before, after }) => [`  ${field}`, shown(before), "->", shown(after)]),
    ...pins.map(({ id, before, after }) => [
      `  ${id}`,
      before?.version ?? "none",
      "->",
      after?.version ?? "none",
    ]),
  ];
  const isSame = changes.length === 0 && prompt.length === 0;
  return [
    `Revision ${against} -> ${to}${isSame ? ": no difference" : ""}\n`,
    changes.length > 0 ? printTable(changes, Number.POSITIVE_INFINITY) : "",
    prompt.length > 0 ? `\nPrompt:\n${prompt.map(({ op, text }) => `${sign[op]} ${text}\n`).join("")}` : "",
    rights.gained.length > 0 ? `\nMay do more: ${rights.gained.join("; ")}\n` : "",
    rights.lost.length > 0 ? `\nMay do less: ${rights.lost.join("; ")}\n` : "",
    tokens.before === tokens.after
      ? ""
      : `\nTokens per call: ${tokens.before ?? "?"} -> ${tokens.after ?? "?"}\n`,
  ].join("");
}
