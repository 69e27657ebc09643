/** Models as `provider/model`: how OpenCode, Pi, omp, OpenClaw, Hermes and Capstan's own loop name them. */
import type { SnapshotEntry } from "./make-snapshot.ts";
import type { ModelFacts } from "./model-facts.ts";

export const providerId = ({ provider, id }: ModelFacts): string => `${provider}/${id}`;

const IDS = [
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-1",
  "claude-opus-5",
  "claude-opus-4-8",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5",
  "claude-sonnet-4-5",
  "claude-haiku-4-5",
  "gpt-6.1-sol",
  "gpt-6-astra",
  "gpt-6-sol",
  "gpt-6-luna",
  "gpt-5.6-sol",
  "gpt-5.5",
  "gpt-5.4",
  "gpt-5.4-mini",
  "gpt-5.2",
  "gpt-5",
  "gpt-5-mini",
  "gpt-4.1",
  "gpt-4o-mini",
  "gemini-3.8-flash",
  "gemini-3.5-flash-lite",
  "gemini-3.1-pro-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
] as const;

export const PROVIDER_MODELS: readonly SnapshotEntry[] = IDS.map((facts) => ({ facts }));
