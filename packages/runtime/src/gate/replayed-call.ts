/**
 * A call on the path `replay`: the gate decides as always, and the recording answers in place of the tool. Only a tool that
 * reads may run, by the rules in effect and not by those on trial, with a context that cannot write.
 */
import { fail, type Result, type ToolContext } from "@capstan/core";
import type { AskRules } from "./ask-rules.ts";
import type { GateOutcome, GateRequest, Judgement } from "./gate.ts";

export interface ReplayedResults {
  /** Rules on trial; those in effect when absent. */
  readonly rules?: AskRules | undefined;
  /** The recorded result for this decision; `run`: there is none, and the tool may run if it only reads. */
  answer(request: GateRequest, judged: Judgement): GateOutcome | "run";
  /** An author tests a capability: programs of others run too, if they declare that they only read. */
  readonly testsPrograms?: boolean;
  /** Labels of facts that a tool which runs has recalled. */
  noteRecall?(labels: readonly string[]): void;
}

interface Steps {
  readonly judge: (rules: AskRules | undefined) => Promise<Judgement>;
  readonly runReading: () => Promise<GateOutcome>;
}

export async function replayedOutcome(
  request: GateRequest,
  { judge, runReading }: Steps,
): Promise<{ readonly outcome: GateOutcome; readonly isAnswered: boolean }> {
  const { replayed, tool } = request;
  if (!replayed) return { outcome: refused(tool), isAnswered: false };
  const answer = replayed.answer(request, await judge(replayed.rules));
  if (answer === "run") return { outcome: await runReading(), isAnswered: false };
  return { outcome: answer, isAnswered: !(answer.kind === "refused" && !answer.ran) };
}

const refused = (tool: string): GateOutcome => ({
  kind: "refused",
  ran: false,
  failure: fail("replay_effect", { tool }).failure,
  durationMs: 0,
});

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** A tool that declares that it only reads is held to it: its context has no way to write. */
export function readOnlyContext(
  context: ToolContext,
  replayed: Pick<ReplayedResults, "noteRecall"> | undefined,
): ToolContext {
  const { fileStore, memory, sandbox: _, ...rest } = context;
  const refuse = async (): Promise<Result<never>> => fail("replay_effect", { tool: "A write" });
  const refuseStore = async (): Promise<never> => {
    throw new Error("A replay writes nothing to a capability's store.");
  };
  return {
    ...rest,
    ...(fileStore && {
      fileStore: {
        read: (path) => fileStore.read(path),
        list: (path) => fileStore.list(path),
        stat: (path) => fileStore.stat(path),
        grep: (pattern, options) => fileStore.grep(pattern, options),
        all: () => fileStore.all(),
        write: refuse,
        delete: refuse,
      },
    }),
    ...(memory && {
      memory: {
        async recall(query, limit) {
          const facts = await memory.recall(query, limit);
          replayed?.noteRecall?.(facts.flatMap(({ labels }) => labels));
          return facts;
        },
        remember: refuse,
        forget: refuse,
      },
    }),
    fetch: (url, options) =>
      READING_METHODS.has((options?.method ?? "GET").toUpperCase()) ? context.fetch(url, options) : refuse(),
    store: {
      get: (key) => context.store.get(key),
      list: (prefix) => context.store.list(prefix),
      set: refuseStore,
      delete: refuseStore,
    },
  };
}
