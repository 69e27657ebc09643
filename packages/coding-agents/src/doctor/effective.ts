/** Merges a probe's findings over a manifest. The declared object stays unchanged. */
import type { CodingAgentCapabilities, EffectiveCapabilities } from "@capstan/core/internal";
import { deepFreeze } from "../manifests/define-manifest.ts";
import type { ProbeReport } from "./probe-agent.ts";

export function effectiveCapabilities(
  declared: CodingAgentCapabilities,
  observed: ProbeReport["observed"] = {},
): EffectiveCapabilities {
  return deepFreeze({ ...declared, ...observed, ...withoutThinking(observed), observed: { ...observed } });
}

/** An agent observed not to think has no levels and no budget either. */
const withoutThinking = ({ supportsThinking }: ProbeReport["observed"]): Partial<CodingAgentCapabilities> =>
  supportsThinking === false ? { thinkingEffortLevels: [], supportsThinkingBudgetTokens: false } : {};
