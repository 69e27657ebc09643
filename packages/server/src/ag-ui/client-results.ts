/** Results of the client's own tools in a request: which count, and what becomes of the others. */
import type { RunAgentInput } from "@ag-ui/core";
import { fail, ok, type Result } from "@capstan/core";
import { type ToolResultPart, toolCallsOf, toolOutputText } from "@capstan/core/internal";
import type { Runs, SessionView } from "@capstan/runtime";
import type { Asked } from "./run-input.ts";

type Results = Asked["results"];

/**
 * CopilotKit writes a tool message of its own for each call that it answers an interrupt of. The answer counts; the note is
 * not the tool's result, which clients cannot write.
 */
export async function resultsOfClient(
  runs: Pick<Runs, "approvals">,
  { results, answers }: Pick<Asked, "results" | "answers">,
): Promise<Results> {
  if (results.length === 0 || answers.length === 0) return results;
  const found = await Promise.all(answers.map(({ interruptId }) => runs.approvals.get(interruptId)));
  const asked = new Set(found.flatMap((approval) => (approval.ok ? [approval.value.callId] : [])));
  return results.filter(({ toolCallId }) => !asked.has(toolCallId));
}

export interface ResultPlace {
  readonly view: SessionView;
  readonly input: Pick<RunAgentInput, "tools">;
  /** The client cannot reread a thread. */
  readonly onlyAnswers: boolean;
}

export interface CheckedResults {
  /** Those that may be of calls that a run waits for. */
  readonly results: Results;
  readonly warnings: readonly string[];
}

/**
 * A result that differs from the stored one is refused where nothing else is asked, because two people answered differently; a
 * client that expects an answer would mistake an empty one for it. Of the agent's own tools no client has the result: its text is
 * a note, which clients send again with every request.
 */
export function checkResults(
  { view, input, onlyAnswers }: ResultPlace,
  results: Results,
  asksMore: boolean,
): Result<CheckedResults> {
  const stored = new Map(storedResults(view).map((part) => [part.toolCallId, part]));
  const isWaiting = view.active?.status === "waiting";
  const differs = results.filter((result) => isOther(result, stored.get(result.toolCallId)));
  const notes = results.filter(({ toolCallId }) => isOfAgent({ view, input }, toolCallId));
  const unasked = isWaiting ? [] : results.filter(({ toolCallId }) => !stored.has(toolCallId));
  const others = differs.filter((result) => !notes.includes(result));
  const [refused] = asksMore ? [] : [...(isWaiting ? [] : others), ...(onlyAnswers ? unasked : [])];
  if (refused) return fail("call_not_pending", { call: refused.toolCallId });
  const ineffective = notes.filter((note) => !stored.has(note.toolCallId) || differs.includes(note));
  return ok({
    results: results.filter((result) => !notes.includes(result)),
    warnings: [
      ...unasked.map(({ toolCallId }) => `no call waits for the result of "${toolCallId}"`),
      ...others.map(({ toolCallId }) => `the call "${toolCallId}" has another result, which stays as it is`),
      ...ineffective.map(
        ({ toolCallId }) =>
          `the call "${toolCallId}" is of the agent's own tool: the client's result for it has no effect`,
      ),
    ],
  });
}

/** While a run waits, it says which calls are the client's; later, the client's tools do. */
function isOfAgent({ view, input }: Pick<ResultPlace, "view" | "input">, callId: string): boolean {
  const made = (view.conversation ?? []).flatMap(toolCallsOf).find(({ toolCallId }) => toolCallId === callId);
  if (!made) return false;
  return view.active?.status === "waiting"
    ? view.active.pending?.clientCalls.includes(callId) !== true
    : !input.tools.some(({ name }) => name === made.toolName);
}

const storedResults = ({ conversation }: Pick<SessionView, "conversation">): ToolResultPart[] =>
  (conversation ?? []).flatMap((item) => (item.role === "tool" ? item.content : []));

function isOther({ content, error }: Results[number], stored: ToolResultPart | undefined): boolean {
  if (!stored) return false;
  const text = toolOutputText(stored.output);
  return content !== text && !(error !== undefined && text.includes(JSON.stringify(error)));
}

export interface StoredResults {
  readonly runId: string;
  readonly resumed: boolean;
  readonly afterSeq?: number;
}

/** Undefined when no run waits for them: another request answered it meanwhile, which may have said something else. */
export async function storeResults(
  place: ResultPlace & {
    readonly services: { readonly runs: Runs };
    readonly session: { readonly id: string };
  },
  results: Results,
  { asksMore, resumes }: { readonly asksMore: boolean; readonly resumes: boolean },
): Promise<Result<StoredResults | undefined>> {
  const { runs } = place.services;
  if (results.length === 0 || place.view.isNew) return ok(undefined);
  const stored = await runs.clientResults(place.session.id, results, { resumes });
  if (stored.ok || stored.failure.code !== "run_not_active") return stored;
  const view = place.view.active?.status === "waiting" && (await runs.view(place.session.id, ""));
  const checked = view ? checkResults({ ...place, view }, results, asksMore) : ok(undefined);
  return checked.ok ? ok(undefined) : checked;
}
