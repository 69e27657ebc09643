/**
 * Warns before anything runs about what an agent's tools could do together: read untrusted text, read private data,
 * send data out.
 */
import type { RuntimeTool } from "../runtime-agent.ts";
import { flowOf } from "./data-flow.ts";

const MOST_NAMED = 3;

export function flowWarnings(tools: readonly RuntimeTool[]): string[] {
  const flows = tools.map(({ name, tool, config }) => ({ name, ...flowOf(tool, config) }));
  const untrusted = flows.filter(({ reads }) => reads.includes("untrusted"));
  const secret = flows.filter(({ reads }) => reads.includes("private"));
  const outward = flows.filter(({ writes }) => writes.includes("external"));
  if (untrusted.length === 0 || outward.length === 0) return [];
  return secret.length > 0
    ? [
        `This agent reads untrusted content (${namesOf(untrusted)}) and private data (${namesOf(secret)}) and can send out (${namesOf(outward)}). After both were read, sending out is refused unless a rule allows it.`,
      ]
    : [
        `This agent reads untrusted content (${namesOf(untrusted)}) and can send out (${namesOf(outward)}). After untrusted content was read, sending out requires approval unless a rule allows it.`,
      ];
}

function namesOf(flows: readonly { readonly name: string }[]): string {
  const more = flows.length - MOST_NAMED;
  const names = flows.slice(0, MOST_NAMED).map(({ name }) => name);
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
