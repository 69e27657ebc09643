/** Failures of the area "run": models, providers, limits, approvals, and what ends a run. */
import { row } from "./failure.ts";

const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(" or ");

export const runFailures = {
  replay_impossible: row<{ run: string; why: string }>({
    status: 422,
    message: ({ run, why }) => `Run ${run} cannot be replayed: ${why}.`,
    nextStep: () => "Choose a run of a native agent that has ended; GET /v1/runs lists them.",
  }),
  replay_empty: row<object>({
    status: 422,
    message: () => "No recorded run matches.",
    nextStep: () => "Choose runs that have ended, or widen the query.",
  }),
  dataset_name_taken: row<{ name: string }>({
    status: 409,
    message: ({ name }) => `You already have a dataset named "${name}".`,
    nextStep: () => "Choose another name, or add to that one.",
  }),
  dataset_file_invalid: row<{ where: string }>({
    status: 422,
    message: ({ where }) => `The file cannot be read: ${where}.`,
    nextStep: () => "Nothing was imported. Correct the file and import it again.",
  }),
  judge_unclear: row<{ model: string }>({
    status: 502,
    message: ({ model }) => `The judge ${model} did not answer with a score.`,
    nextStep: () => "Use a stronger model as judge, or make its prompt clearer.",
  }),
  scorer_unknown: row<{ scorer: string; known: readonly string[] }>({
    status: 422,
    message: ({ scorer }) => `There is no scorer "${scorer}".`,
    nextStep: ({ known }) =>
      known.length === 0
        ? "Add it to `scorers` of capstan.config.ts with defineScorer, and restart."
        : `Use one of ${known.join(", ")}, or add it to capstan.config.ts.`,
  }),
  scorers_missing: row<object>({
    status: 422,
    message: () => "Nothing would be measured: the experiment has no scorer, and not every item has its own.",
    nextStep: () => 'Add scorers, such as {"type": "exact"}.',
  }),
  experiment_too_large: row<{ cells: number; limit: number }>({
    status: 422,
    message: ({ cells, limit }) => `The experiment would have ${cells} cells; the limit is ${limit}.`,
    nextStep: () => "Use fewer items, variants or repeats.",
  }),
  dataset_empty: row<{ name: string }>({
    status: 422,
    message: ({ name }) => `"${name}" has no items.`,
    nextStep: () => "Add items first, with `capstan datasets import`.",
  }),
  model_unknown: row<{ model: string; nearest: readonly string[] }>({
    status: 422,
    message: ({ model }) => `There is no model "${model}".`,
    nextStep: ({ nearest }) =>
      nearest.length > 0
        ? `Did you mean ${listed(nearest)}? GET /v1/models lists all.`
        : "Write it as provider/model; GET /v1/models lists all.",
  }),
  text_blocked: row<{ check: string; words?: string | undefined }>({
    status: 422,
    message: ({ check, words }) => `The check "${check}" blocked the answer${words ? `: ${words}` : "."}`,
    nextStep: () => "Rephrase the request, or ask an admin to change the check (`capstan text-checks`).",
  }),
  text_denied: row<{ by: string | null; words: string | null; isExpired: boolean }>({
    status: 422,
    message: ({ by, words, isExpired }) =>
      isExpired
        ? "Nobody approved the answer in time, so it was not sent."
        : `${by ?? "A person"} did not approve the answer${words ? `: ${words}` : "."}`,
    nextStep: () => "Rephrase the request, or ask the reviewer.",
  }),
  text_unchecked: row<{ harness: string }>({
    status: 422,
    message: ({ harness }) =>
      `A text check applies to this agent, but the output of ${harness} cannot be checked before it is sent.`,
    nextStep: () => "Use the native harness for this agent, or limit the check to other agents.",
  }),
  provider_slow: row<{ provider: string; seconds: number }>({
    status: 504,
    message: ({ provider, seconds }) => `${provider} sent nothing for ${seconds} seconds.`,
    nextStep: () => "Retry, or choose another model.",
  }),
  provider_resting: row<{ provider: string }>({
    status: 503,
    message: ({ provider }) => `${provider} failed several times in a row and is paused.`,
    nextStep: () => "Wait half a minute, or choose another model.",
  }),
  default_model_fixed: row<{ model: string }>({
    status: 409,
    message: ({ model }) => `CAPSTAN_MODEL sets the default model to ${model}.`,
    nextStep: () => "Change or unset CAPSTAN_MODEL and restart, or choose a model for one agent or one chat.",
  }),
  provider_unknown: row<{ provider: string; known: readonly string[] }>({
    status: 422,
    message: ({ provider }) => `There is no model provider "${provider}".`,
    nextStep: ({ known }) =>
      `Use one of ${known.join(", ")}, or add an OpenAI-compatible endpoint with \`capstan providers add\`.`,
  }),
  provider_key_missing: row<{ provider: string; variable: string }>({
    status: 422,
    message: ({ provider }) => `No key is set for the provider "${provider}".`,
    nextStep: ({ provider, variable }) =>
      `Set ${variable}, or add the key in Settings or with \`capstan providers add ${provider}\`.`,
  }),
  provider_key_refused: row<{ provider: string; status: number; message: string }>({
    status: 502,
    message: ({ provider, status, message }) => `${provider} refused the key (${status}): ${message}`,
    nextStep: ({ provider }) =>
      `Replace the key in Settings or with \`capstan providers add ${provider}\`, then retry.`,
  }),
  provider_address_missing: row<{ provider: string }>({
    status: 422,
    message: ({ provider }) => `The provider "${provider}" needs an address.`,
    nextStep: () => "Give the base URL of its API, such as http://127.0.0.1:11434/v1.",
  }),
  provider_address_wrong: row<{ provider: string; url: string; status: number }>({
    status: 422,
    message: ({ url, status }) => `${url} does not list models (${status}).`,
    nextStep: () => "Check the base URL: it usually ends in /v1, such as http://127.0.0.1:11434/v1.",
  }),
  provider_unreachable: row<{ provider: string; url: string; why: string }>({
    status: 422,
    message: ({ url, why }) => `${url} cannot be reached: ${why}.`,
    nextStep: () => "Start the server there, or correct the address, then retry.",
  }),
  provider_no_credit: row<{ provider: string; status: number; message: string }>({
    status: 422,
    message: ({ provider, status, message }) =>
      `${provider} accepted the key but is not answering requests (${status}): ${message}`,
    nextStep: () => "Add credit with the provider or wait for its limit to reset, then retry.",
  }),
  provider_without_models: row<{ provider: string; url: string }>({
    status: 422,
    message: ({ url }) => `${url} has no chat models.`,
    nextStep: () => "Install or load a model there (for Ollama: `ollama pull llama3.2`), then retry.",
  }),
  provider_request_refused: row<{ provider: string; status: number; message: string }>({
    status: 502,
    message: ({ provider, status, message }) => `${provider} rejected the request (${status}): ${message}`,
    nextStep: () =>
      "Check the agent's model and its tools' schemas against what the provider said, then retry.",
  }),
  provider_unavailable: row<{ provider: string; attempts: number; message: string }>({
    status: 503,
    message: ({ provider, attempts, message }) =>
      `${provider} did not answer in ${attempts} attempts: ${message}`,
    nextStep: () => "Retry later, or choose another model.",
  }),
  answer_flooded: row<{ provider: string; limit: number }>({
    status: 502,
    message: ({ provider, limit }) => `${provider} did not stop: its answer exceeded ${limit} characters.`,
    nextStep: () => "Retry; if it happens again, choose another model.",
  }),
  provider_busy: row<{ provider: string; retryAfterSeconds: number }>({
    status: 503,
    message: ({ provider, retryAfterSeconds }) =>
      `${provider} asks to wait ${retryAfterSeconds} s, longer than this run has left.`,
    nextStep: ({ retryAfterSeconds }) => `Retry in ${retryAfterSeconds} s, or choose another model.`,
  }),
  run_step_limit: row<{ limit: number }>({
    status: 429,
    message: ({ limit }) => `The run made ${limit} model calls, the agent's step limit.`,
    nextStep: () => "Send another message to continue, or raise the agent's limits.max_steps.",
  }),
  run_time_limit: row<{ limitSeconds: number }>({
    status: 429,
    message: ({ limitSeconds }) => `The run took ${limitSeconds} s, the agent's time limit.`,
    nextStep: () => "Ask for less at once, or raise the agent's limits.max_seconds.",
  }),
  run_token_limit: row<{ limit: number; used: number }>({
    status: 429,
    message: ({ limit, used }) => `The run used ${used} tokens; the agent's limit is ${limit}.`,
    nextStep: () => "Ask for less at once, or raise the agent's limits.max_tokens.",
  }),
  run_cost_limit: row<{ limitUsd: number; usedUsd: number }>({
    status: 429,
    message: ({ limitUsd, usedUsd }) =>
      `The run cost ${usedUsd.toFixed(4)} USD; the agent's limit is ${limitUsd} USD.`,
    nextStep: () => "Use a cheaper model, or raise the agent's limits.max_cost_usd.",
  }),
  run_gave_up: row<{ attempts: number }>({
    status: 500,
    message: ({ attempts }) =>
      `The run was started ${attempts} times and crashed each time without progress.`,
    nextStep: () => "Check the server's log for the cause, then send the message again.",
  }),
  run_broken: row<{ reference: string }>({
    status: 500,
    message: ({ reference }) => `The run failed with an internal error (reference ${reference}).`,
    nextStep: () =>
      "Search the server's log for the reference, report the error, and send the message again.",
  }),
  output_not_valid: row<{ where: string }>({
    status: 502,
    message: ({ where }) => `The answer does not match output_schema, even after a retry: ${where}`,
    nextStep: () => "Make the schema simpler or its descriptions clearer, or use a stronger model.",
  }),
  output_schema_invalid: row<{ where: string }>({
    status: 422,
    message: ({ where }) => `output_schema is not a JSON Schema: ${where}`,
    nextStep: () => "Send a JSON Schema of draft 2020-12 or draft 7, with a type at the top level.",
  }),
  message_empty: row<Record<never, never>>({
    status: 422,
    message: () => "The message has neither text nor files.",
    nextStep: () => "Send at least one part with content.",
  }),
  client_tool_invalid: row<{ name: string; where: string }>({
    status: 422,
    message: ({ name, where }) => `The client's tool "${name}" cannot be used: ${where}`,
    nextStep: () => "Correct its name or the JSON Schema of its parameters.",
  }),
  client_tool_conflict: row<{ tool: string; owner: string }>({
    status: 422,
    message: ({ tool, owner }) =>
      `The client's tool "${tool}" has the same name as a tool of this agent's capability "${owner}".`,
    nextStep: ({ tool, owner }) =>
      `Give the client's tool another name, such as "client_${tool}", or give "${owner}" a prefix in the agent.`,
  }),
  webhooks_absent: row<Record<never, never>>({
    status: 422,
    message: () => "This run engine does not support webhooks.",
    nextStep: () => "Leave the webhook out, or create the engine with `webhooks`.",
  }),
  run_not_active: row<{ session: string }>({
    status: 409,
    message: ({ session }) => `No run is active in session ${session}.`,
    nextStep: () => "Send a message to start a run.",
  }),
  call_not_pending: row<{ call: string }>({
    status: 409,
    message: ({ call }) => `No call "${call}" is waiting for a client's result.`,
    nextStep: () => "Send each result named in the run's pendingToolCallIds once.",
  }),
  answer_changed: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `The answer "${id}" differs from the stored one, and answers cannot be changed.`,
    nextStep: () => "Send the request again with the stored answer, or start a new thread with this history.",
  }),
  call_changed: row<{ call: string }>({
    status: 409,
    message: ({ call }) => `The call "${call}" was made with other arguments than this history says.`,
    nextStep: () =>
      "Send them as they were; changed arguments belong in the answer: `editedArgs`, or `edited_args` at /v1/approvals.",
  }),
  approval_decided: row<{ id: string; status: string }>({
    status: 409,
    message: ({ id, status }) => `The approval ${id} is already ${status}.`,
    nextStep: () => "No action is needed; the first answer counts.",
  }),
  approval_once_only: row<{ tool: string; why: string }>({
    status: 409,
    message: ({ tool, why }) => `"${tool}" cannot be allowed for the whole session: ${why}.`,
    nextStep: () => "Approve this call alone.",
  }),
  approval_changed: row<{ id: string; tool: string }>({
    status: 409,
    message: ({ tool }) =>
      `The agent, the capability or its config changed after "${tool}" was requested, so the answer was not accepted.`,
    nextStep: ({ id }) => `Review the approval ${id} again, then answer it.`,
  }),
  subagent_waiting: row<{ name: string; runId: string; interrupts: readonly unknown[] }>({
    status: 409,
    message: ({ name }) => `"${name}" is waiting for approval.`,
    nextStep: () => "Answer the approval; this run then continues.",
    details: ({ runId, interrupts }) => ({ runId, interrupts }),
  }),
  subagent_failed: row<{ name: string; message: string }>({
    status: 502,
    message: ({ name, message }) => `"${name}" could not finish: ${message}`,
    nextStep: () => "Continue without it, or ask it for less.",
  }),
  subagent_depth: row<{ limit: number }>({
    status: 422,
    message: ({ limit }) => `Delegation is limited to ${limit} levels; this would exceed it.`,
    nextStep: () => "Do this step without delegating.",
  }),
  resume_required: row<{ open: readonly string[] }>({
    status: 409,
    message: ({ open }) => `The run is waiting for an answer to ${open.join(", ")}.`,
    nextStep: () => "Send `resume` with one entry for each of them.",
  }),
  session_links_full: row<Record<string, never>>({
    status: 409,
    message: () => "This session has reached its limit of links.",
    nextStep: () =>
      "End one: `capstan sessions links <id>` lists them, `capstan sessions unlink <id> <link>` ends one.",
  }),
};
