/** Search and grouping of capabilities, in the page: a thousand are filtered while one types. */
import type { CapabilitySummary } from "@capstan/client";

export interface CapabilitySearch {
  readonly text?: string;
  readonly status?: string;
  readonly category?: string;
  readonly source?: string;
}

export function matching(
  items: readonly CapabilitySummary[],
  { text = "", status, category, source }: CapabilitySearch,
): CapabilitySummary[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    if (status && item.status !== status) return false;
    if (category && categoryOf(item) !== category) return false;
    if (source && item.source !== source) return false;
    const said = `${item.id} ${item.name} ${item.description}`.toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}

export const categoryOf = ({ category }: CapabilitySummary): string => category ?? "Other";

/** Categories by name, without empty ones. */
export function byCategory(items: readonly CapabilitySummary[]): [string, CapabilitySummary[]][] {
  return [...Map.groupBy(items, categoryOf)].sort(([a], [b]) => a.localeCompare(b));
}
