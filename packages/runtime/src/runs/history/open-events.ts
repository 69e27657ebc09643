/**
 * What a stretch of events has left open, and the events that close it. A run that was killed, cancelled or cut by its
 * provider leaves a message half said; every client must see it end before anything else happens.
 */
import type { RunEvent } from "@capstan/core";

export interface OpenText {
  readonly messageId: string;
  readonly text: string;
}

export interface OpenBlocks {
  /** Closes everything, innermost first. */
  readonly closing: readonly RunEvent[];
  /** Text of the assistant that was shown and never ended. */
  readonly texts: readonly OpenText[];
  /** RUN_STARTED was seen and no terminal event after it. */
  readonly runOpen: boolean;
}

/** Follows events one by one, so that a live run need not keep them. */
export class OpenBlockTracker {
  readonly #closers = new Map<string, RunEvent>();
  readonly #texts = new Map<string, string>();
  #runOpen = false;

  see(event: RunEvent): void {
    const step = STEPS[event.type] as ((open: Opening, event: RunEvent) => void) | undefined;
    step?.(this.#opening, event);
  }

  get open(): OpenBlocks {
    return {
      closing: [...this.#closers.values()].reverse(),
      texts: [...this.#texts].map(([messageId, text]) => ({ messageId, text })),
      runOpen: this.#runOpen,
    };
  }

  readonly #opening: Opening = {
    start: (key, closer) => this.#closers.set(key, closer),
    end: (key) => this.#closers.delete(key),
    text: (messageId, delta) =>
      delta === undefined
        ? this.#texts.delete(messageId)
        : this.#texts.set(messageId, (this.#texts.get(messageId) ?? "") + delta),
    run: (open) => {
      this.#runOpen = open;
      this.#closers.clear();
      this.#texts.clear();
    },
  };
}

interface Opening {
  start(key: string, closer: RunEvent): void;
  end(key: string): void;
  text(messageId: string, delta: string | undefined): void;
  run(open: boolean): void;
}

type Steps = {
  [Type in RunEvent["type"]]?: (open: Opening, event: Extract<RunEvent, { type: Type }>) => void;
};

/** What each kind of event opens, extends or closes; kinds without a row do neither. */
const STEPS: Steps = {
  RUN_STARTED: (open) => open.run(true),
  RUN_FINISHED: (open) => open.run(false),
  RUN_ERROR: (open) => open.run(false),
  STEP_STARTED: (open, { stepName }) => open.start(`step ${stepName}`, { type: "STEP_FINISHED", stepName }),
  STEP_FINISHED: (open, { stepName }) => open.end(`step ${stepName}`),
  TEXT_MESSAGE_START: (open, { messageId }) =>
    open.start(`text ${messageId}`, { type: "TEXT_MESSAGE_END", messageId }),
  TEXT_MESSAGE_CONTENT: (open, { messageId, delta }) => open.text(messageId, delta),
  TEXT_MESSAGE_END: (open, { messageId }) => {
    open.text(messageId, undefined);
    open.end(`text ${messageId}`);
  },
  REASONING_START: (open, { messageId }) =>
    open.start(`reasoning ${messageId}`, { type: "REASONING_END", messageId }),
  REASONING_END: (open, { messageId }) => open.end(`reasoning ${messageId}`),
  REASONING_MESSAGE_START: (open, { messageId }) =>
    open.start(`thought ${messageId}`, { type: "REASONING_MESSAGE_END", messageId }),
  REASONING_MESSAGE_END: (open, { messageId }) => open.end(`thought ${messageId}`),
  TOOL_CALL_START: (open, { toolCallId }) =>
    open.start(`call ${toolCallId}`, { type: "TOOL_CALL_END", toolCallId }),
  TOOL_CALL_END: (open, { toolCallId }) => open.end(`call ${toolCallId}`),
  SUBAGENT_STARTED: (open, { subagentRunId }) =>
    open.start(`subagent ${subagentRunId}`, {
      type: "SUBAGENT_FINISHED",
      subagentRunId,
      outcome: { type: "suspended" },
    }),
  SUBAGENT_FINISHED: (open, { subagentRunId }) => open.end(`subagent ${subagentRunId}`),
  SUBAGENT_ERROR: (open, { subagentRunId }) => open.end(`subagent ${subagentRunId}`),
};

/** The same for events that are all there. */
export function openBlocks(events: Iterable<RunEvent>): OpenBlocks {
  const tracker = new OpenBlockTracker();
  for (const event of events) tracker.see(event);
  return tracker.open;
}
