/**
 * Blocks that events have started and not ended, and the events that end them. A run that was killed, cancelled or cut
 * off by its provider leaves an unfinished message; every client must see it end before the next event.
 */
import type { RunEvent } from "@capstan/core";

export interface UnfinishedText {
  readonly messageId: string;
  readonly text: string;
}

export interface UnfinishedBlocks {
  /** End every block, innermost first. */
  readonly closingEvents: readonly RunEvent[];
  /** Assistant text that was shown and has not ended. */
  readonly texts: readonly UnfinishedText[];
  /** RUN_STARTED was seen and no terminal event after it. */
  readonly isRunning: boolean;
}

/** Tracks events one by one, so that a live run need not keep them. */
export class UnfinishedBlockTracker {
  readonly #closers = new Map<string, RunEvent>();
  readonly #texts = new Map<string, string>();
  #isRunning = false;

  add(event: RunEvent): void {
    const step = STEPS[event.type] as ((blocks: Blocks, event: RunEvent) => void) | undefined;
    step?.(this.#blocks, event);
  }

  get unfinished(): UnfinishedBlocks {
    return {
      closingEvents: [...this.#closers.values()].reverse(),
      texts: [...this.#texts].map(([messageId, text]) => ({ messageId, text })),
      isRunning: this.#isRunning,
    };
  }

  readonly #blocks: Blocks = {
    start: (key, closer) => this.#closers.set(key, closer),
    end: (key) => this.#closers.delete(key),
    text: (messageId, delta) =>
      delta === undefined
        ? this.#texts.delete(messageId)
        : this.#texts.set(messageId, (this.#texts.get(messageId) ?? "") + delta),
    run: (isRunning) => {
      this.#isRunning = isRunning;
      this.#closers.clear();
      this.#texts.clear();
    },
  };
}

interface Blocks {
  start(key: string, closer: RunEvent): void;
  end(key: string): void;
  text(messageId: string, delta: string | undefined): void;
  run(isRunning: boolean): void;
}

type Steps = {
  [Type in RunEvent["type"]]?: (blocks: Blocks, event: Extract<RunEvent, { type: Type }>) => void;
};

/** What each kind of event starts, extends or ends; kinds without a row do nothing. */
const STEPS: Steps = {
  RUN_STARTED: (blocks) => blocks.run(true),
  RUN_FINISHED: (blocks) => blocks.run(false),
  RUN_ERROR: (blocks) => blocks.run(false),
  STEP_STARTED: (blocks, { stepName }) =>
    blocks.start(`step ${stepName}`, { type: "STEP_FINISHED", stepName }),
  STEP_FINISHED: (blocks, { stepName }) => blocks.end(`step ${stepName}`),
  TEXT_MESSAGE_START: (blocks, { messageId }) =>
    blocks.start(`text ${messageId}`, { type: "TEXT_MESSAGE_END", messageId }),
  TEXT_MESSAGE_CONTENT: (blocks, { messageId, delta }) => blocks.text(messageId, delta),
  TEXT_MESSAGE_END: (blocks, { messageId }) => {
    blocks.text(messageId, undefined);
    blocks.end(`text ${messageId}`);
  },
  REASONING_START: (blocks, { messageId }) =>
    blocks.start(`reasoning ${messageId}`, { type: "REASONING_END", messageId }),
  REASONING_END: (blocks, { messageId }) => blocks.end(`reasoning ${messageId}`),
  REASONING_MESSAGE_START: (blocks, { messageId }) =>
    blocks.start(`thought ${messageId}`, { type: "REASONING_MESSAGE_END", messageId }),
  REASONING_MESSAGE_END: (blocks, { messageId }) => blocks.end(`thought ${messageId}`),
  TOOL_CALL_START: (blocks, { toolCallId }) =>
    blocks.start(`call ${toolCallId}`, { type: "TOOL_CALL_END", toolCallId }),
  TOOL_CALL_END: (blocks, { toolCallId }) => blocks.end(`call ${toolCallId}`),
  SUBAGENT_STARTED: (blocks, { subagentRunId }) =>
    blocks.start(`subagent ${subagentRunId}`, {
      type: "SUBAGENT_FINISHED",
      subagentRunId,
      outcome: { type: "suspended" },
    }),
  SUBAGENT_FINISHED: (blocks, { subagentRunId }) => blocks.end(`subagent ${subagentRunId}`),
  SUBAGENT_ERROR: (blocks, { subagentRunId }) => blocks.end(`subagent ${subagentRunId}`),
};

/** The same for a complete list of events. */
export function unfinishedBlocks(events: Iterable<RunEvent>): UnfinishedBlocks {
  const tracker = new UnfinishedBlockTracker();
  for (const event of events) tracker.add(event);
  return tracker.unfinished;
}
