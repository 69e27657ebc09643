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
};
