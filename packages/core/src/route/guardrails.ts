/** The seed's guardrails: when a capability must not be chosen, however well its words match. */
import type { Candidate } from "./features.ts";
import type { Task } from "./task.ts";

export interface Verdict {
  /** A factor for the score; 0 = refused. */
  readonly factor: number;
  readonly why?: string;
}

const NO_URL_FACTOR = 0.45;
const URL_FACTOR = 1.15; // a task with a URL is about reading that page
const BROAD_FACTOR = 0.5;

export function guard({ entry }: Candidate, task: Task): Verdict {
  const { document, contextWords } = entry;
  if (contextWords.length > 0 && !contextWords.some(task.holds)) {
    const wanted = (document.contextWords ?? []).join(", ");
    return { factor: 0, why: `context: the task contains none of ${wanted}` };
  }
  if (document.needsUrl && !task.hasUrl) {
    return { factor: NO_URL_FACTOR, why: "url: no address or page in the task" };
  }
  if (document.needsUrl) return { factor: URL_FACTOR, why: "url" };
  if (document.fallback) return { factor: BROAD_FACTOR, why: "fallback: broad" };
  return { factor: 1 };
}
