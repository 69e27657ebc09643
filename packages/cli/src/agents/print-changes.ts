/** A plan for people: one block per agent, one line per field; for changed texts only the changed lines. */
import type { FieldDifference } from "@capstan/client/wire";
import type { Change } from "./apply-plan.ts";

const SIGNS = { create: "+", update: "~", none: "=" } as const;

export const printChanges = (changes: readonly Change[]): string => changes.map(printChange).join("");

function printChange({ action, file, served, path, differences }: Change): string {
  const where = served ? `${served.id}, v${served.version}` : "new";
  const lines = differences.filter(({ field }) => field !== "name" || action === "update").flatMap(printed);
  const said = action === "none" ? ["    no difference"] : lines;
  return `${SIGNS[action]} ${file.name} (${where}) from ${path}\n${said.map((line) => `${line}\n`).join("")}`;
}

function printed({ field, before, after }: FieldDifference): string[] {
  if (isLong(before) || isLong(after))
    return [`    ${field}:`, ...changedLines(String(before ?? ""), String(after ?? ""))];
  if (Array.isArray(before) && Array.isArray(after)) return [`    ${field}: ${listChange(before, after)}`];
  return [`    ${field}: ${shown(before)} -> ${shown(after)}`];
}

const isLong = (value: unknown): boolean =>
  typeof value === "string" && (value.includes("\n") || value.length > 60);
const shown = (value: unknown): string =>
  value === null || value === "" ? "(none)" : typeof value === "string" ? value : JSON.stringify(value);

function listChange(before: readonly unknown[], after: readonly unknown[]): string {
  const [old, now] = [before.map(shown), after.map(shown)];
  const gone = old.filter((item) => !now.includes(item)).map((item) => `- ${item}`);
  const come = now.filter((item) => !old.includes(item)).map((item) => `+ ${item}`);
  const moved = gone.length + come.length === 0 ? [`order ${now.join(", ")}`] : [];
  return [...gone, ...come, ...moved].join(", ");
}

/** The lines between the common start and the common end. */
function changedLines(before: string, after: string): string[] {
  const [old, now] = [lines(before), lines(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [
    ...old.slice(head, old.length - tail).map((line) => `      - ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `      + ${line}`),
  ];
}

const lines = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
