/**
 * Detects conversations that cannot be answered: they do not end with a user message, or contain a result without a
 * call.
 */

export interface SaidBefore {
  readonly role: string;
  /** Of the calls that an assistant's message makes. */
  readonly calls?: readonly string[];
  /** Of the call that a tool's message answers. */
  readonly callId?: string;
}

export interface Unanswerable {
  /** The message's index; -1 is the conversation. */
  readonly at: number;
  readonly message: string;
}

/** `isContinued`: earlier messages are on the server. */
export function unanswerable(said: readonly SaidBefore[], isContinued = false): Unanswerable[] {
  const called = new Set<string>();
  const faults: Unanswerable[] = [];
  for (const [at, { calls = [], callId }] of said.entries()) {
    for (const id of calls) called.add(id);
    if (callId !== undefined && !called.has(callId) && !isContinued)
      faults.push({ at, message: `answers the call "${callId}", which no message before it makes` });
  }
  const last = said.findLastIndex(({ role }) => role === "assistant");
  const asks = said.slice(last + 1).some(({ role }) => role === "user" || role === "tool");
  return asks
    ? faults
    : [
        ...faults,
        { at: -1, message: "must end with a user's message or a tool's result: there is nothing to answer" },
      ];
}
