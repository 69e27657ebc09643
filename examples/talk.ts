/** Shared by the examples: unwrap a result, and send a message and wait for the answer. */
import type { Api } from "@capstan/client";
import type { Result, RunEvent } from "@capstan/core";

/** Returns the value, or throws with the message and the next step. */
export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${result.failure.message} ${result.failure.nextStep}`);
}

/** Sends a message and returns the answer. Returns early when a call needs approval: check `api.approvals`. */
export async function say(api: Api, sessionId: string, text: string): Promise<string> {
  const { run_id: run } = value(await api.sessions.send(sessionId, { content: text }));
  return heard(api, sessionId, run);
}

/** The text of a run, from a given event on. */
export function heard(api: Api, sessionId: string, run: string, after = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    let words = "";
    const following = api.sessions.followEvents(sessionId, {
      run,
      after,
      onEvent({ event }: { event: RunEvent }) {
        if (event.type === "TEXT_MESSAGE_CONTENT") words += event.delta;
        if (event.type === "RUN_ERROR") reject(new Error(event.message));
        if (event.type !== "RUN_FINISHED") return;
        following.close();
        resolve(words);
      },
      onState: (state) => {
        if (state.phase === "closed" && state.failure) reject(new Error(state.failure.message));
      },
    });
  });
}
