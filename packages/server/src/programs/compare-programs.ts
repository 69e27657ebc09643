/**
 * The same message to several programs or models: each answers in a branch, a session of its own with its own copy of the
 * files. Every branch is checked before the first is made. Keeping one archives the rest; nothing is deleted.
 */
import type { Comparison, ComparisonBranch } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { ContinueIn } from "@capstan/core/internal";
import type { RunRecord, Runs, SessionRecord, SessionStore } from "@capstan/runtime";
import { uuidv7 } from "uuidv7";
import type { Caller } from "../http/caller.ts";
import { runDto } from "../runs/run-dto.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import { type ContinueParts, continueSession } from "./continue-session.ts";
import { type Files, fileChanges } from "./file-changes.ts";

export interface CompareParts extends ContinueParts {
  readonly sessions: SessionStore;
  readonly runs: Runs;
  readonly files: SessionFiles;
}

const MOST_BRANCHES = 20;
const LAST_MESSAGES = 500;

export async function startComparison(
  parts: CompareParts,
  session: SessionRecord,
  { content, programs }: { content: string; programs: readonly ContinueIn[] },
  caller: Caller,
): Promise<Result<Comparison>> {
  const settled: ContinueIn[] = [];
  for (const program of programs) {
    const can = await continueSession(parts, session, program, caller);
    if (!can.ok) return can;
    settled.push(can.value);
  }
  const id = uuidv7();
  for (const program of settled) {
    const branch = await startBranch(parts, session, id, program, content);
    if (!branch.ok) return branch;
  }
  return readComparison(parts, session, id);
}

async function startBranch(
  { runs, sessions }: CompareParts,
  session: SessionRecord,
  comparisonId: string,
  continueIn: ContinueIn,
  content: string,
): Promise<Result<unknown>> {
  const made = await runs.fork(session.id);
  if (!made.ok) return made;
  await sessions.update(made.value.sessionId, { continueIn, comparisonId });
  return runs.send(made.value.sessionId, { content });
}

/** The current state of the branches; running ones have their text so far. */
export async function readComparison(
  parts: CompareParts,
  session: SessionRecord,
  id: string,
): Promise<Result<Comparison>> {
  const branches = await branchesOf(parts, session, id);
  if (branches.length === 0) return fail("not_found", { what: "comparison", id });
  const before = await parts.files(session.id).all();
  if (!before.ok) return before;
  const read = await Promise.all(branches.map((branch) => readBranch(parts, branch, before.value)));
  return ok({ id, session_id: session.id, branches: read });
}

/** The conversation continues in this branch. */
export async function keepBranch(
  parts: CompareParts,
  session: SessionRecord,
  comparisonId: string,
  keptId: string,
): Promise<Result<SessionRecord>> {
  const branches = await branchesOf(parts, session, comparisonId);
  if (!branches.some(({ id }) => id === keptId)) return fail("not_found", { what: "branch", id: keptId });
  for (const { id } of branches.filter((branch) => branch.id !== keptId)) {
    await parts.runs.cancel(id);
    await parts.sessions.update(id, { archived: true });
  }
  await parts.sessions.update(session.id, { archived: true });
  return parts.sessions.update(keptId, {
    title: session.title,
    comparisonId: null,
    archived: false, // another branch was kept before
    ...(session.pinnedAt !== null && { pinned: true }),
  });
}

async function branchesOf(
  { sessions }: CompareParts,
  session: SessionRecord,
  comparisonId: string,
): Promise<SessionRecord[]> {
  const { items } = await sessions.list({ limit: MOST_BRANCHES, comparisonId, owner: session.owner });
  return items.filter(({ forkedFrom }) => forkedFrom === session.id).toReversed();
}

async function readBranch(
  { runs, files, harnesses }: CompareParts,
  branch: SessionRecord,
  before: Files,
): Promise<ComparisonBranch> {
  const run = (await runs.runsOf(branch.id)).at(-1);
  const after = await files(branch.id).all();
  const inFolder = (await harnesses.worktrees.ownFiles(branch.id)) ?? [];
  const told = run && runDto(run);
  return {
    session_id: branch.id,
    continue_in: {
      harness: branch.continueIn?.harness ?? "native",
      ...(branch.continueIn?.model !== undefined && { model: branch.continueIn.model }),
    },
    status: told?.status ?? branch.status,
    answer: run ? await answerOf(runs, branch.id, run) : "",
    error: told?.error ? { code: told.error.code, message: told.error.message } : null,
    seconds: secondsOf(run),
    usage: told?.usage ?? {},
    changes: [
      ...(after.ok ? await fileChanges(before, after.value) : []),
      ...inFolder.map(({ path, change, diff }) => ({ path, change, diff })),
    ],
  };
}

const secondsOf = (run: RunRecord | undefined): number => (run?.usage?.activeMs ?? 0) / 1000;

/** The run's last text: a program may end with a call, after which its last message is empty. */
async function answerOf(runs: Runs, sessionId: string, run: RunRecord): Promise<string> {
  const { items } = await runs.messages(sessionId, { limit: LAST_MESSAGES });
  const texts = items.map((message) =>
    message.role === "assistant" && message.runId === run.id
      ? message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
      : "",
  );
  return texts.findLast((text) => text !== "") ?? "";
}
