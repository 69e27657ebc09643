import { useEffect, useState } from "react";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { type AgentDraft, bodyOf } from "./agent-draft.ts";

const PAUSE_MS = 250; // after the last key stroke; composing costs the server a few milliseconds

/** The composed draft, by the server itself: the same code that runs it. */
export function usePreview(draft: AgentDraft) {
  const body = useSettled(bodyOf(draft));
  return useRead(["preview", body], (signal) => api.agents.previewUnsaved(JSON.parse(body), signal), {
    keepPrevious: true,
  });
}

function useSettled(value: unknown): string {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
