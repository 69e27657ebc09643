/** capstan sessions compact and summaries: the summaries that replace the older part of a conversation. */
import type { SessionSummary } from "@capstan/client/wire";
import type { CommandContext } from "../command.ts";

export async function compactSession({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).sessions.compact(id);
  return answer.ok ? print(answer.value, () => summaryText(answer.value)) : answer;
}

export async function listSummaries({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).sessions.summaries(id);
  if (!answer.ok) return answer;
  return print(answer.value, () =>
    answer.value.items.length === 0
      ? "This conversation has not been summarised.\n"
      : answer.value.items.map(summaryText).join("\n"),
  );
}

function summaryText({ messages, text, kept, created_at, created_by }: SessionSummary): string {
  const asked = created_by === "" ? "" : `, asked for by ${created_by}`;
  return [
    `Summarised ${messages} messages (${created_at}${asked}).`,
    text,
    ...kept.decisions.map((decision) => `Decision: ${decision}`),
    ...kept.files.map((file) => `File: ${file}`),
    ...kept.lists.map(({ tool, input }) => `${tool}: ${JSON.stringify(input)}`),
    "",
  ].join("\n");
}
