/**
 * capstan sessions changes, apply and discard: what a session changed in its agent's real folder, and whether to
 * apply it.
 */
import type { FolderChange } from "@capstan/client";
import type { Command, CommandContext } from "../command.ts";
import { printTable } from "../print-table.ts";

export async function showChanges(
  { server, print, terminal }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const read = await (await server()).sessions.change(id);
  return read.ok ? print(read.value, () => changeText(read.value, terminal.columns)) : read;
}

export async function applyChanges(
  { server, print, terminal, options, json }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const api = await server();
  if (options.yes !== true && !json) {
    const read = await api.sessions.change(id);
    if (!read.ok) return read;
    terminal.out(changeText(read.value, terminal.columns));
    if (!(await isAnswered(terminal, `Apply this to ${read.value.folder}? [y/N] `))) return 1;
  }
  const message = typeof options.message === "string" ? { message: options.message } : {};
  const applied = await api.sessions.applyChange(id, message);
  return applied.ok
    ? print(applied.value, () => `Applied to ${applied.value.folder} as commit ${applied.value.commit}.\n`)
    : applied;
}

export async function discardChanges(
  { server, print, terminal, options, json }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const question = "Discard the change? This cannot be undone. [y/N] ";
  if (options.yes !== true && !json && !(await isAnswered(terminal, question))) return 1;
  const discarded = await (await server()).sessions.discardChange(id);
  return discarded.ok
    ? print(discarded.value, () => `Change discarded; ${discarded.value.folder} is unchanged.\n`)
    : discarded;
}

const isAnswered = async (terminal: CommandContext["terminal"], question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await terminal.ask(question))?.trim() ?? "");

function changeText(change: FolderChange, columns: number): string {
  const { session_id, status, folder, branch, files, problem } = change;
  const about = [
    ["status", status],
    ["folder", folder],
    ["branch", branch],
    ...(change.commit ? [["commit", change.commit]] : []),
    ...(change.behind > 0 ? [["behind", `${change.behind} commits of the folder`]] : []),
    ...(change.conflicts.length > 0 ? [["conflicts", change.conflicts.join(", ")]] : []),
    ...(change.blocked_by.length > 0 ? [["not committed", change.blocked_by.join(", ")]] : []),
    ...change.notes.map((note) => ["note", note]),
    ...(problem ? [["problem", `${problem.message} ${problem.nextStep}`]] : []),
  ];
  const list = files.map(({ path, change: what, additions, deletions }) => [
    what,
    path,
    additions === undefined ? "" : `+${additions} -${deletions}`,
  ]);
  const diffs = files.map(({ diff }) => diff ?? "").join("");
  const next =
    status === "open"
      ? `Apply it: capstan sessions apply ${session_id}\nDiscard it: capstan sessions discard ${session_id}\n`
      : "";
  return [printTable(about, columns), list.length > 0 ? printTable(list, columns) : "", diffs, next]
    .filter(Boolean)
    .join("\n");
}
