/** Failures of the area "coding-agent". `CAPABILITY_ERROR` keeps the spelling that the seed gives it. */
import { row } from "./failure.ts";

/** What a program reported when it failed. */
export interface ReportedFacts {
  readonly agent: string;
  readonly message: string;
  readonly status?: number | undefined;
}

const reportedDetails = ({ agent, status }: ReportedFacts) => ({
  agent,
  ...(status !== undefined && { status }),
});

export const codingAgentFailures = {
  CAPABILITY_ERROR: row<{ agent: string; capability: string; message: string }>({
    status: 422,
    message: ({ message }) => message,
    nextStep: ({ agent }) =>
      `Leave the option out, or choose another agent or model: \`capstan coding-agents\` shows what "${agent}" can do.`,
    details: ({ agent, capability }) => ({ agent, capability }),
  }),
  approval_mode_unsupported: row<{ agent: string; mode: string; modes: readonly string[] }>({
    status: 422,
    message: ({ agent, mode }) => `Agent '${agent}' has no approval mode '${mode}'`,
    nextStep: ({ modes }) => `Use ${modes.map((mode) => `"${mode}"`).join(" or ")}.`,
    details: ({ agent, modes }) => ({ agent, modes }),
  }),
  coding_agent_unknown: row<{ agent: string; known: readonly string[] }>({
    status: 404,
    message: ({ agent }) => `There is no coding agent '${agent}'`,
    nextStep: ({ known }) => `Use one of ${known.join(", ")}, or register an adapter of your own.`,
    details: ({ known }) => ({ known }),
  }),
  coding_agent_not_installed: row<{ agent: string; command: string; install: string | undefined }>({
    status: 424,
    message: ({ agent, command }) => `Agent '${agent}' is not installed: no command '${command}' was found.`,
    nextStep: ({ agent, install }) =>
      install === undefined
        ? `Install '${agent}' and put it on the PATH.`
        : `Install it with \`${install}\`.`,
  }),
  coding_agent_not_logged_in: row<ReportedFacts>({
    status: 424,
    message: ({ agent, message }) => `Agent '${agent}' is not logged in: ${message}`,
    nextStep: ({ agent }) =>
      `Log '${agent}' in on the machine that runs it, or set its key; \`capstan doctor ${agent}\` shows what it finds.`,
    details: reportedDetails,
  }),
  coding_agent_version_untested: row<{ agent: string; version: string; tested: string }>({
    status: 424,
    message: ({ agent, version, tested }) =>
      `Agent '${agent}' has version ${version}; its manifest was tested with ${tested}`,
    nextStep: ({ agent }) => `Probe this version: \`capstan doctor ${agent} --probe\`.`,
    details: ({ agent, version, tested }) => ({ agent, version, tested }),
  }),
  coding_agent_folder_missing: row<{ agent: string; folder: string }>({
    status: 422,
    message: ({ agent, folder }) => `Agent '${agent}' cannot work in ${folder}: there is no such folder`,
    nextStep: () => "Create the folder, or name another one in `cwd`.",
    details: ({ folder }) => ({ folder }),
  }),
  coding_agent_text_refused: row<{ agent: string; transport: string; why: string }>({
    status: 422,
    message: ({ agent, transport, why }) =>
      `Agent '${agent}' cannot be given this text over its transport '${transport}': ${why}`,
    nextStep: () =>
      "Shorten the prompt or the instructions, put the text into a file, or use another transport.",
    details: ({ agent, transport }) => ({ agent, transport }),
  }),
  coding_agent_attachment_refused: row<{ agent: string; file: string; why: string }>({
    status: 422,
    message: ({ agent, file, why }) => `Agent '${agent}' cannot use the attachment ${file}: ${why}`,
    nextStep: () =>
      "Attach a readable file of at most 10 MB from the agent's working folder, or send its bytes as `data` with a media type.",
    details: ({ agent, file }) => ({ agent, file }),
  }),
  coding_agent_model_unknown: row<ReportedFacts>({
    status: 422,
    message: ({ agent, message }) => `Agent '${agent}' cannot use this model: ${message}`,
    nextStep: ({ agent }) => `\`capstan models --agent ${agent}\` lists its models.`,
    details: reportedDetails,
  }),
  coding_agent_session_unknown: row<ReportedFacts>({
    status: 404,
    message: ({ agent, message }) => `Agent '${agent}' does not have this session: ${message}`,
    nextStep: ({ agent }) =>
      `\`capstan coding-agents sessions ${agent}\` lists its sessions; leave the session out to begin a new one.`,
    details: reportedDetails,
  }),
  coding_agent_budget_refused: row<{ agent: string; model: string; why: string }>({
    status: 422,
    message: ({ agent, model, why }) =>
      `Agent '${agent}' cannot enforce a cost limit with model '${model}': ${why}`,
    nextStep: () =>
      "Name a model whose price is known, leave the cost limit out, or limit turns or time instead.",
    details: ({ agent, model }) => ({ agent, model }),
  }),
  coding_agent_rate_limited: row<ReportedFacts>({
    status: 429,
    message: ({ agent, message }) => `The provider rate-limits agent '${agent}': ${message}`,
    nextStep: () => "Wait and run it again, or use another model or account.",
    details: reportedDetails,
  }),
  coding_agent_provider_down: row<ReportedFacts>({
    status: 502,
    message: ({ agent, message }) => `The model provider of agent '${agent}' failed: ${message}`,
    nextStep: () => "Run it again; if it keeps failing, check the provider's status page and the network.",
    details: reportedDetails,
  }),
  coding_agent_killed: row<{ agent: string; signal: string; output: string }>({
    status: 502,
    message: ({ agent, signal, output }) =>
      `Agent '${agent}' was killed by ${signal} before the run ended${output && `. Last output: ${output}`}`,
    nextStep: () => "Find out what killed it: out of memory, a system time limit, or a person.",
    details: ({ signal }) => ({ signal }),
  }),
  coding_agent_protocol_broken: row<{ agent: string; how: string; output: string }>({
    status: 502,
    message: ({ agent, how, output }) =>
      `Agent '${agent}' ${how} without reporting how the run ended${output && `. Last output: ${output}`}`,
    nextStep: ({ agent }) =>
      `Compare its version with the tested one: \`capstan doctor ${agent}\`; \`--probe\` tries this version.`,
  }),
  coding_agent_output_invalid: row<{ agent: string; why: string }>({
    status: 502,
    message: ({ agent, why }) => `The answer of agent '${agent}' does not have the requested format: ${why}`,
    nextStep: () => "Run it again, describe the document in the prompt, or use a stronger model.",
  }),
  coding_agent_failed: row<ReportedFacts>({
    status: 502,
    message: ({ message }) => message,
    nextStep: ({ agent }) => `Run it again, or check what it needs with \`capstan doctor ${agent}\`.`,
    details: reportedDetails,
  }),
  transport_unknown: row<{ agent: string; transport: string; known: readonly string[] }>({
    status: 422,
    message: ({ agent, transport }) => `Agent '${agent}' has no transport '${transport}'`,
    nextStep: ({ known }) => `Use ${known.map((name) => `"${name}"`).join(" or ")}, or leave it out.`,
    details: ({ known }) => ({ known }),
  }),
  run_command_refused: row<{ command: string }>({
    status: 409,
    message: ({ command }) => `The run cannot accept "${command}" now`,
    nextStep: () => "The run may be over, the question already answered, or the agent does not support it.",
  }),
  session_not_found: row<{ agent: string; id: string }>({
    status: 404,
    message: ({ agent, id }) => `Agent '${agent}' has no stored session '${id}'`,
    nextStep: () => "List the agent's sessions to see their ids.",
  }),
  sessions_unreadable: row<{ agent: string; store: string; why: string }>({
    status: 502,
    message: ({ agent, store, why }) =>
      `The stored sessions of agent '${agent}' cannot be read (${store}): ${why}`,
    nextStep: ({ agent }) =>
      `Check that '${agent}' is installed and has a tested version: \`capstan doctor ${agent}\`.`,
    details: ({ agent, store }) => ({ agent, store }),
  }),
  plugin_command_failed: row<{ agent: string; command: string; why: string; output: string }>({
    status: 502,
    message: ({ agent, command, why, output }) =>
      `The plugin command of agent '${agent}' failed${command && ` (${command})`}: ${why}${output && `: ${output}`}`,
    nextStep: ({ command }) =>
      command
        ? `Run \`${command}\` in a terminal to see what it needs.`
        : "Check the version with `capstan doctor`.",
    details: ({ agent, command }) => ({ agent, command }),
  }),
  remote_run_lost: row<{ reason: string }>({
    status: 502,
    message: ({ reason }) => `The run on the remote Capstan was lost: ${reason}`,
    nextStep: () => "Check the address and that the server is up; the run itself may still be running there.",
  }),
  too_many_coding_runs: row<{ most: number }>({
    status: 429,
    message: ({ most }) => `${most} coding agents are already running`,
    nextStep: () => "Wait for one to finish, or stop one.",
  }),
};
