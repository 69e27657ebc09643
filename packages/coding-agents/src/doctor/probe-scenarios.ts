/**
 * The scenarios of a probe, one or two runs per capability, and how each is observed.
 *
 * Only declared capabilities can be tested: a run with unsupported options is refused. So a probe finds claims that do
 * not hold, not undeclared capabilities (except AGENTS.md and streaming, which are observed either way).
 */
import { basename } from "node:path";
import type { CodingAgentCapabilities, CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import type { SimRequest } from "../sim/sim-request.ts";
import type { SimWiring } from "../sim/sim-wiring.ts";
import { IMAGE_BASE64, MARKS, type ProbePlace } from "./probe-place.ts";

export type ObservedField =
  | "supportsTextStreaming"
  | "supportsThinkingStreaming"
  | "supportsNativeTools"
  | "supportsMCP"
  | "supportsThinking"
  | "supportsThinkingBudgetTokens"
  | "canResume"
  | "canFork"
  | "supportsSkills"
  | "supportsAgentsMd"
  | "supportsImageInput";

/** One finished run: what the agent's events were, and what it sent to the model. */
export interface ProbeRunSeen {
  readonly events: readonly CodingAgentEvent[];
  readonly requests: readonly SimRequest[];
  readonly sessionId: string | undefined;
}

export interface ProbeTools {
  readonly declared: CodingAgentCapabilities;
  readonly place: ProbePlace;
  readonly wiring: SimWiring;
  /** Runs the agent; throws `ProbeInconclusive` when the run does not end well. */
  readonly attempt: (options: Partial<RunOptions> & { readonly prompt: string }) => Promise<ProbeRunSeen>;
}

/** The run itself failed, so nothing is known about the capability. */
export class ProbeInconclusive extends Error {}

export interface Scenario {
  readonly name: string;
  readonly fields: readonly ObservedField[];
  readonly applies: (declared: CodingAgentCapabilities, wiring: SimWiring) => boolean;
  readonly observe: (tools: ProbeTools) => Promise<Partial<Record<ObservedField, boolean>>>;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "text",
    fields: ["supportsTextStreaming", "supportsAgentsMd"],
    applies: () => true,
    async observe({ attempt }) {
      const { events, requests } = await attempt({ prompt: "[[text]] Answer the question.", stream: "auto" });
      return {
        supportsTextStreaming: count(events, "text-delta") > 1,
        supportsAgentsMd: wasSent(requests, MARKS.agentsMd),
      };
    },
  },
  {
    name: "thinking",
    fields: ["supportsThinking", "supportsThinkingStreaming"],
    applies: ({ supportsThinking }) => supportsThinking,
    async observe({ attempt }) {
      const low = await attempt({ prompt: "[[think]] Answer.", thinkingEffort: "low", stream: "auto" });
      const high = await attempt({ prompt: "[[think]] Answer.", thinkingEffort: "high", stream: "auto" });
      return {
        supportsThinking: thinkingAsked(low.requests) !== thinkingAsked(high.requests),
        supportsThinkingStreaming: count(high.events, "thinking-delta") > 1,
      };
    },
  },
  {
    name: "thinking budget",
    fields: ["supportsThinkingBudgetTokens"],
    applies: ({ supportsThinkingBudgetTokens }, { budgetModel }) =>
      supportsThinkingBudgetTokens && budgetModel !== undefined,
    async observe({ attempt, wiring }) {
      const { requests } = await attempt({
        prompt: "[[text]] Answer.",
        thinkingBudgetTokens: 2345,
        model: wiring.budgetModel,
      });
      return { supportsThinkingBudgetTokens: thinkingAsked(requests).includes("2345") };
    },
  },
  {
    name: "tools",
    fields: ["supportsNativeTools"],
    applies: ({ supportsNativeTools, approvalModes }) =>
      supportsNativeTools && approvalModes.includes("yolo"),
    async observe({ attempt }) {
      const { events, requests } = await attempt({ prompt: "[[tool]] Run it.", approvalMode: "yolo" });
      // Some agents only summarise their calls; a result that reached the model is enough.
      const ran = count(events, "tool-ended") > 0 || requests.some(({ isToolDone }) => isToolDone);
      return { supportsNativeTools: ran };
    },
  },
  {
    name: "MCP",
    fields: ["supportsMCP"],
    applies: ({ supportsMCP }) => supportsMCP,
    async observe({ attempt, place }) {
      await attempt({ prompt: "[[text]] Answer.", mcpServers: [place.mcpServer] });
      return { supportsMCP: await place.mcpServerWasAsked() };
    },
  },
  {
    name: "resume and fork",
    fields: ["canResume", "canFork"],
    applies: ({ canResume }) => canResume,
    observe: observeSessions,
  },
  {
    name: "skills",
    fields: ["supportsSkills"],
    applies: ({ supportsSkills }) => supportsSkills,
    async observe({ attempt, place, declared }) {
      // Pi tells the model about skills only where it may read files.
      const mode = declared.approvalModes.includes("yolo") ? { approvalMode: "yolo" as const } : {};
      const { requests } = await attempt({ prompt: "[[text]] Answer.", skills: [place.skill], ...mode });
      return { supportsSkills: wasSent(requests, MARKS.skill) || wasSent(requests, basename(place.skill)) };
    },
  },
  {
    name: "image",
    fields: ["supportsImageInput"],
    applies: ({ supportsImageInput }) => supportsImageInput,
    async observe({ attempt, place }) {
      const { requests } = await attempt({
        prompt: "[[text]] What is it?",
        attachments: [{ path: place.image }],
      });
      const seen = requests.some(({ body }) => IMAGE_ON_WIRE.test(JSON.stringify(body)));
      return { supportsImageInput: seen || wasSent(requests, IMAGE_BASE64.slice(0, 60)) };
    },
  },
];

export const IMAGE_ON_WIRE = /"type":"(image|input_image|image_url)"|"inlineData":|"mimeType":"image\//;

async function observeSessions({
  attempt,
  declared,
}: ProbeTools): Promise<Partial<Record<ObservedField, boolean>>> {
  const first = await attempt({ prompt: `[[text]] Remember ${MARKS.memory}.` });
  if (first.sessionId === undefined) throw new ProbeInconclusive("the agent named no session");
  const again = await attempt({ prompt: "[[text]] Go on.", sessionId: first.sessionId });
  const canResume = wasSent(again.requests, MARKS.memory);
  if (!declared.canFork) return { canResume };
  const forked = await attempt({ prompt: "[[text]] Go another way.", forkSessionId: first.sessionId });
  const isOther = forked.sessionId !== undefined && forked.sessionId !== first.sessionId;
  return { canResume, canFork: isOther && wasSent(forked.requests, MARKS.memory) };
}

const count = (events: readonly CodingAgentEvent[], type: CodingAgentEvent["type"]) =>
  events.filter((event) => event.type === type).length;
const wasSent = (requests: readonly SimRequest[], mark: string) =>
  requests.some(({ body }) => JSON.stringify(body).includes(mark));

/** How the last request of the conversation asked for thinking; side calls (titles, routers) have no tools. */
function thinkingAsked(requests: readonly SimRequest[]): string {
  const asked =
    requests.findLast(({ tools, marker }) => marker !== null && tools.length > 0) ?? requests.at(-1);
  const { max_tokens: _, max_output_tokens: __, parallel_tool_calls: ___, ...thinking } = asked?.wire ?? {};
  const inMessages = JSON.stringify(asked?.body ?? {}).match(/"output_config":\{[^}]*\}/g) ?? [];
  return JSON.stringify([thinking, inMessages]);
}
