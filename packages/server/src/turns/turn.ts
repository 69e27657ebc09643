/**
 * One turn for a client without sessions or AG-UI: its request as an AG-UI run, the answer as run events.
 * The protocols differ only in format; authorization, waiting and storage are decided in one place.
 */
import type { RunAgentInput } from "@ag-ui/core";
import { ok, type Result, type RunEvent } from "@capstan/core";
import { answerEvents } from "../ag-ui/event-stream.ts";
import { type StartRunParts, startRun } from "../ag-ui/start-run.ts";
import { streamStop } from "../http/sse.ts";

export interface TurnParts extends StartRunParts {
  readonly stopping: AbortSignal;
}

export interface TurnRequest {
  readonly agentId: string;
  readonly by: string;
  /** The login of a client that acts for the user. */
  readonly client?: string | undefined;
  /** Whether they may also approve changes of rights. */
  readonly isAdmin?: boolean;
  readonly input: RunAgentInput;
  /** The trace that the request is part of. */
  readonly traceparent?: string | undefined;
}

export interface Turn {
  readonly sessionId: string;
  readonly runId: string;
  readonly events: AsyncGenerator<RunEvent>;
  /** Ends the stream, never the run: abort it when nobody reads it any more. */
  readonly stop: AbortController;
}

export async function startTurn(services: TurnParts, request: TurnRequest): Promise<Result<Turn>> {
  const stop = streamStop(services.stopping);
  const started = await startRun(services, { ...request, signal: stop.signal, onlyAnswers: true }).catch(
    (error) => {
      stop.abort();
      throw error;
    },
  );
  if (!started.ok) {
    stop.abort();
    return started;
  }
  const { sessionId, runId = request.input.runId } = started.value;
  return ok({ sessionId, runId, events: eventsOf(answerEvents(request.input, started.value)), stop });
}

async function* eventsOf(batches: AsyncIterable<readonly { json: string }[]>): AsyncGenerator<RunEvent> {
  for await (const batch of batches) for (const { json } of batch) yield JSON.parse(json) as RunEvent;
}
