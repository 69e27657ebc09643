/** Probe reports kept in the repository, for the docs. Written by `node tools/agent-probes.ts`. */
import type { ProbeReport } from "./probe-agent.ts";
import recorded from "./recorded-probes.json" with { type: "json" };

export const RECORDED_PROBES = recorded as readonly Pick<
  ProbeReport,
  "agent" | "version" | "date" | "features"
>[];
