import type { AgentPreview } from "@capstan/client";
import { useModelChoices } from "../../models/use-model-choices.ts";
import type { AgentDraft } from "./agent-draft.ts";

const MILLION = 1_000_000;

/** What the prompt and the tools cost at each model call, in US dollars; undefined where the model's price is not known. */
export function useCallPrice(draft: AgentDraft, preview: AgentPreview | undefined): number | undefined {
  const choices = useModelChoices().data;
  if (!choices || !preview || draft.harness !== "native") return undefined;
  const name = draft.model ?? choices.default.name;
  const price = choices.items.find((choice) => choice.name === name)?.input_price;
  return price == null ? undefined : (preview.tokens.total * price) / MILLION;
}
