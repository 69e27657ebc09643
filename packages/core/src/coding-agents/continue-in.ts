/**
 * A session that continues in a program other than its agent's: the agent, prompt, tools, rights and files stay the
 * same. The agent still decides whether the program's own tools are enabled.
 */
import type { RuntimeAgent } from "../runtime-agent.ts";

export interface ContinueIn {
  /** `native`, or the name of a coding agent. */
  readonly harness: string;
  /** Absent: the program's default. */
  readonly model?: string | undefined;
  /** The agent's effort and budget are left out, because the program or its model does not take them. */
  readonly withoutThinking?: boolean | undefined;
}

export function inProgram(agent: RuntimeAgent, to: ContinueIn | null | undefined): RuntimeAgent {
  if (!to) return agent;
  const { model: _, thinkingEffort, thinkingBudget, ...spec } = agent.spec;
  const thinking = {
    ...(thinkingEffort !== undefined && { thinkingEffort }),
    ...(thinkingBudget !== undefined && { thinkingBudget }),
  };
  return {
    ...agent,
    spec: {
      ...spec,
      harness: to.harness,
      ...(to.model !== undefined && { model: to.model }),
      ...(to.withoutThinking ? {} : thinking),
    },
  };
}
