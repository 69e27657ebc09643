/**
 * The providers' facts about their models, once for all agents that offer them. Figures as in the CLIs of 2026-11-15.
 *
 * `thinking` is how the provider controls it: by named levels, by a token budget, or not at all.
 */

export interface ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** USD per million tokens: input, output, cached input. */
  readonly price: readonly [input: number, output: number, cached: number] | null;
  readonly thinking:
    | { readonly levels: readonly string[] }
    | { readonly budget: readonly [least: number, most: number] }
    | null;
  readonly images: boolean;
  readonly protocol: "chat" | "responses" | "messages" | "custom";
}

const TO_HIGH = { levels: ["low", "medium", "high"] } as const;
const TO_XHIGH = { levels: ["low", "medium", "high", "xhigh"] } as const;
const TO_MAX = { levels: ["low", "medium", "high", "xhigh", "max"] } as const;
const LOW_TO_MAX = { levels: ["low", "medium", "high", "max"] } as const; // adaptive models before xhigh came
const ANTHROPIC_BUDGET = { budget: [1024, 63_999] } as const;

type Row = readonly [
  id: string,
  name: string,
  price: readonly [number, number, number] | null,
  thinking: ModelFacts["thinking"],
  window?: readonly [context: number, output: number],
];

const rows =
  (provider: string, protocol: ModelFacts["protocol"], usual: readonly [number, number]) =>
  ([id, name, price, thinking, [contextWindow, maxOutputTokens] = usual]: Row): ModelFacts => ({
    id,
    name,
    provider,
    contextWindow,
    maxOutputTokens,
    price,
    thinking,
    images: true,
    protocol,
  });

const ANTHROPIC: readonly Row[] = [
  ["claude-opus-5-5", "Claude Opus 5.5", [4, 20, 0.2], TO_MAX],
  ["claude-sonnet-5-5", "Claude Sonnet 5.5", [2, 10, 0.1], TO_MAX],
  ["claude-haiku-5-5", "Claude Haiku 5.5", [0.1, 0.5, 0.01], TO_MAX],
  ["claude-fable-5-2", "Claude Fable 5.2", [10, 50, 0.25], TO_MAX],
  ["claude-fable-5-1", "Claude Fable 5.1", [10, 50, 0.25], TO_MAX],
  ["claude-opus-5", "Claude Opus 5", [5, 25, 0.5], TO_MAX],
  ["claude-sonnet-5", "Claude Sonnet 5", [2, 10, 0.2], TO_MAX],
  ["claude-opus-4-8", "Claude Opus 4.8", [5, 25, 0.5], TO_MAX],
  ["claude-opus-4-6", "Claude Opus 4.6", [5, 25, 0.5], LOW_TO_MAX],
  ["claude-sonnet-4-6", "Claude Sonnet 4.6", [3, 15, 0.3], LOW_TO_MAX],
  ["claude-opus-4-5", "Claude Opus 4.5", [5, 25, 0.5], ANTHROPIC_BUDGET, [200_000, 64_000]],
  ["claude-sonnet-4-5", "Claude Sonnet 4.5", [3, 15, 0.3], ANTHROPIC_BUDGET, [200_000, 64_000]],
  ["claude-haiku-4-5", "Claude Haiku 4.5", [1, 5, 0.1], ANTHROPIC_BUDGET, [200_000, 64_000]],
  ["claude-opus-4-20250514", "Claude Opus 4", [15, 75, 1.5], { budget: [1024, 31_999] }, [200_000, 32_000]],
  ["claude-sonnet-4-20250514", "Claude Sonnet 4", [3, 15, 0.3], ANTHROPIC_BUDGET, [200_000, 64_000]],
];

const OPENAI: readonly Row[] = [
  ["gpt-6.1-sol", "GPT-6.1 Sol", [2, 10, 0.1], TO_MAX],
  ["gpt-6.1-terra", "GPT-6.1 Terra", [1, 5, 0.05], TO_MAX],
  ["gpt-6-astra", "GPT-6 Astra", [10, 50, 1], TO_MAX],
  ["gpt-6-sol", "GPT-6 Sol", [2, 10, 0.2], TO_MAX],
  ["gpt-6-luna", "GPT-6 Luna", [0.1, 0.5, 0.01], TO_MAX],
  ["gpt-5.6-sol", "GPT-5.6 Sol", [4, 20, 0.4], TO_MAX],
  ["gpt-5.6-terra", "GPT-5.6 Terra", [2, 12, 0.2], TO_MAX],
  ["gpt-5.6-luna", "GPT-5.6 Luna", [0.2, 1.2, 0.02], TO_MAX],
  ["gpt-5.5", "GPT-5.5", [5, 30, 0.5], TO_XHIGH],
  ["gpt-5.4", "GPT-5.4", [2.5, 15, 0.25], TO_XHIGH],
  ["gpt-5.4-mini", "GPT-5.4 mini", [0.75, 4.5, 0.075], TO_XHIGH, [400_000, 128_000]],
  ["gpt-5.3-codex", "GPT-5.3 Codex", [1.75, 14, 0.175], TO_XHIGH, [400_000, 128_000]],
  ["gpt-5.2", "GPT-5.2", [1.75, 14, 0.175], TO_XHIGH, [400_000, 128_000]],
  ["gpt-5", "GPT-5", [1.25, 10, 0.125], TO_HIGH, [400_000, 128_000]],
  ["gpt-5-mini", "GPT-5 mini", [0.25, 2, 0.025], TO_HIGH, [400_000, 128_000]],
  ["gpt-4.1", "GPT-4.1", [2, 8, 0.5], null, [1_047_576, 32_768]],
  ["gpt-4o-mini", "GPT-4o mini", [0.15, 0.6, 0.075], null, [128_000, 16_384]],
];

const GOOGLE: readonly Row[] = [
  ["gemini-4-argon", "Gemini 4 Argon", [2, 10, 0.1], TO_HIGH, [1_048_576, 32_768]],
  ["gemini-3.8-flash", "Gemini 3.8 Flash", [0.75, 3.75, 0.075], TO_HIGH],
  ["gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", [0.3, 2.5, 0.03], TO_HIGH],
  ["gemini-3.1-pro-preview", "Gemini 3.1 Pro Preview", [2, 12, 0.2], TO_HIGH],
  ["gemini-3-flash-preview", "Gemini 3 Flash Preview", [0.5, 3, 0.05], TO_HIGH],
  ["gemini-2.5-pro", "Gemini 2.5 Pro", [1.25, 10, 0.125], { budget: [128, 32_768] }],
  ["gemini-2.5-flash", "Gemini 2.5 Flash", [0.3, 2.5, 0.03], { budget: [0, 24_576] }],
  ["gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", [0.1, 0.4, 0.01], { budget: [0, 24_576] }],
];

const OTHERS: readonly ModelFacts[] = [
  ...([["grok-4.7", "Grok 4.7", [2, 6, 0.5], TO_XHIGH]] satisfies Row[]).map(
    rows("xai", "responses", [500_000, 128_000]),
  ),
  ...([["mai-code-1.1-flash", "MAI-Code-1.1-Flash", [0.2, 1.2, 0.02], TO_HIGH]] satisfies Row[]).map(
    rows("microsoft", "responses", [256_000, 128_000]),
  ),
  ...([["hermes-4-405b", "Hermes 4 405B", [1, 3, 1], null]] satisfies Row[])
    .map(rows("nousresearch", "chat", [131_072, 131_072]))
    .map((facts) => ({ ...facts, images: false })),
];

const ALL: readonly ModelFacts[] = [
  ...ANTHROPIC.map(rows("anthropic", "messages", [1_000_000, 128_000])),
  ...OPENAI.map(rows("openai", "responses", [1_050_000, 128_000])),
  ...GOOGLE.map(rows("google", "custom", [1_048_576, 65_536])),
  ...OTHERS,
];

const BY_ID = new Map(ALL.map((facts) => [facts.id, facts]));

/** By the provider's id. A typo in a snapshot is a bug of ours, found when it loads. */
export function modelFacts(id: string): ModelFacts {
  const facts = BY_ID.get(id);
  if (!facts) throw new Error(`No facts about a model '${id}'.`);
  return facts;
}

export const factsOrNull = (id: string): ModelFacts | null => BY_ID.get(id) ?? null;
