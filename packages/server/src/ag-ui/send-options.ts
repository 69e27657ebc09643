/** The run options in a client's request. */
import type { RunAgentInput } from "@ag-ui/core";
import type { JsonValue } from "@capstan/core";
import type { SendOptions } from "@capstan/runtime";
import type { Forwarded } from "./forwarded-props.ts";
import { instructionsOf } from "./run-input.ts";

export interface RunRequest {
  readonly input: RunAgentInput;
  readonly forwarded: Forwarded;
  readonly sharesState: boolean;
  /** The run may be cancelled when the client disconnects. */
  readonly follows: boolean;
  readonly by: string;
  readonly traceparent: string | undefined;
}

/** `earlier` are messages that the client had before the session. */
export function sendOptions(request: RunRequest, earlier: string): SendOptions {
  const { input, forwarded, sharesState, traceparent } = request;
  const before =
    earlier === "" ? [] : [{ description: "Earlier messages of this conversation", value: earlier }];
  const tools = input.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return {
    model: forwarded.model,
    reasoning: forwarded.reasoning,
    outputSchema: forwarded.outputSchema,
    webhookUrl: forwarded.webhook?.url,
    toolChoice: forwarded.toolChoice,
    sampling: forwarded.sampling,
    predictState: forwarded.predictState,
    clientTools: unlessEmpty(tools),
    context: unlessEmpty([...before, ...input.context]),
    ...(earlier !== "" && { broughtHistory: true }),
    instructions: unlessEmpty(instructionsOf(input)),
    clientRunId: input.runId,
    sharesState,
    traceparent,
    client: request.follows ? followingClient(request) : undefined,
    ...(hasState(input) && { state: input.state as JsonValue }),
  };
}

/** Stored with each run, twice: what says nothing is left out. */
const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

/** Clients without a state send an empty one. */
export const hasState = ({ state }: { readonly state?: unknown }): boolean =>
  state !== undefined && state !== null && Object.keys(state).length > 0;

const followingClient = ({ by, forwarded }: RunRequest): SendOptions["client"] => ({
  by,
  onDisconnect: forwarded.onDisconnect,
  graceSeconds: forwarded.disconnectGraceSeconds,
  ephemeral: forwarded.ephemeral,
});
