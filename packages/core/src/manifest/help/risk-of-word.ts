/** The risk implied by a subcommand's name; undefined = unknown, and it counts as one that writes. */
import type { ToolRisk } from "../../tool.ts";

const WORDS: readonly (readonly [RegExp, ToolRisk])[] = [
  [
    /^(delete|remove|rm|destroy|drop|purge|prune|reset|clean|kill|push|publish|send|deploy|pay|uninstall)$/,
    "irreversible",
  ],
  [
    /^(list|ls|show|get|status|log|logs|info|view|search|find|describe|diff|cat|inspect|check|validate|lint|version|grep|blame|count|stats)$/,
    "read",
  ],
];

export function riskOfWord(name: string): ToolRisk | undefined {
  const words = name.toLowerCase().split(/[^a-z]+/);
  return WORDS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
}
