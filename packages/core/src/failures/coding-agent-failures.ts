/** Failures of the area "coding-agent". `CAPABILITY_ERROR` keeps the spelling that the seed gives it. */
import { row } from "./failure.ts";

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
  run_command_refused: row<{ command: string }>({
    status: 409,
    message: ({ command }) => `The run cannot take "${command}" now`,
    nextStep: () => "The run may be over, the question answered already, or the agent has no channel for it.",
  }),
  session_not_found: row<{ agent: string; id: string }>({
    status: 404,
    message: ({ agent, id }) => `Agent '${agent}' has no stored session '${id}'`,
    nextStep: () => "List the agent's sessions to see their ids.",
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
    nextStep: () => "Check the address and that the server is up; the run itself may still go on there.",
  }),
  too_many_coding_runs: row<{ most: number }>({
    status: 429,
    message: ({ most }) => `${most} coding agents run already`,
    nextStep: () => "Wait for one to end, or stop one.",
  }),
};
