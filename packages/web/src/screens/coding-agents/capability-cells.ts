/** A coding agent's capabilities as cells: declared, probed, observed, and whether the three agree. */
import type { CodingAgentInfo } from "@capstan/client";

export const COLUMNS: [field: string, label: string][] = [
  ["supportsTextStreaming", "Text stream"],
  ["supportsToolCallStreaming", "Tool stream"],
  ["supportsThinking", "Thinking"],
  ["supportsMCP", "MCP"],
  ["canResume", "Resume"],
  ["canFork", "Fork"],
  ["supportsJsonMode", "JSON"],
  ["supportsSkills", "Skills"],
  ["supportsSubagentDispatch", "Sub-agents"],
  ["supportsImageInput", "Images"],
  ["supportsPlugins", "Plugins"],
  ["supportsACP", "ACP"],
];

export interface Cell {
  readonly declared: boolean | undefined;
  /** What the last probe of the installed version found. */
  readonly probed: boolean | undefined;
  /** Effective for runs: probe findings merged over what is declared. */
  readonly effective: boolean | undefined;
  readonly seen: boolean;
  readonly differs: boolean;
}

export function cellOf(
  { declared, probed, observed, effective: inForce }: CodingAgentInfo,
  field: string,
): Cell {
  const said = flag(declared, field);
  const found = flag(probed?.observed, field);
  const laidOver = flag(observed, field);
  const effective = laidOver ?? found ?? flag(inForce, field) ?? said;
  return {
    declared: said,
    probed: found,
    effective,
    seen: found !== undefined || laidOver !== undefined,
    differs: said !== undefined && effective !== said,
  };
}

/** In one sentence, for a tooltip and a screen reader. */
export function cellWords({ declared, probed, effective, differs }: Cell): string {
  const parts = [
    declared === undefined ? [] : [`declared ${yesNo(declared)}`],
    probed === undefined ? [] : [`probed ${yesNo(probed)}`],
    differs && effective !== undefined ? [`effective ${yesNo(effective)}`] : [],
  ].flat();
  return parts.length > 0 ? parts.join(", ") : "unknown";
}

const yesNo = (value: boolean): string => (value ? "yes" : "no");

function flag(source: unknown, field: string): boolean | undefined {
  const value =
    source !== null && typeof source === "object" ? (source as Record<string, unknown>)[field] : undefined;
  return typeof value === "boolean" ? value : undefined;
}
