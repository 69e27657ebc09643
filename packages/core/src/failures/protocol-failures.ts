/** Failures of protocols without sessions, approvals or restarts: OpenAI's, and the AI SDK's message stream. */
import { row } from "./failure.ts";

const listed = (names: readonly string[]) => names.map((name) => `"${name}"`).join(" or ");

export const protocolFailures = {
  agent_model_unknown: row<{ model: string; near: readonly string[]; several: boolean }>({
    status: 404,
    message: ({ model, several }) =>
      several ? `Several agents are named "${model}".` : `No agent is named "${model}".`,
    nextStep: ({ near, several }) => {
      if (several) return `Use the id of one: ${near.join(", ")}.`;
      const hint = near.length > 0 ? `Did you mean ${listed(near)}? ` : "";
      return `${hint}GET /openai/v1/models lists the agents.`;
    },
  }),
  answer_restarted: row<Record<never, never>>({
    status: 502,
    message: () =>
      "The provider's stream broke and the answer started over; text already sent cannot be taken back.",
    nextStep: () => "Send the request again, or without streaming.",
  }),
  approvals_pending: row<{ approvals: readonly { readonly id: string; readonly question: string }[] }>({
    status: 409,
    message: ({ approvals }) =>
      `The agent needs approval before it continues: ${approvals.map(({ question }) => question).join(" ")}`,
    nextStep: ({ approvals }) =>
      `Answer ${approvals.map(({ id }) => `POST /v1/approvals/${id}`).join(", ")}, or use the studio's inbox; the run then continues in its session.`,
    details: ({ approvals }) => ({ approvals }),
  }),
} as const;
