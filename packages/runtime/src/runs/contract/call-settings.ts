/** Model settings a client may send besides the conversation: sampling, and whether a tool must be called. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly seed?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

/** `none`: answer in text. `required`: call any tool. A name: call that one. */
export type ToolChoice = "none" | "required" | { readonly name: string };

export interface CallSettings {
  readonly sampling?: Sampling | undefined;
  readonly toolChoice?: ToolChoice | undefined;
}

/** A forced call applies to the first step only: with its result the model must be free to answer. */
export function callSettings(
  { sampling = {}, toolChoice }: CallSettings,
  { isFirstStep, toolNames }: { readonly isFirstStep: boolean; readonly toolNames: readonly string[] },
): Partial<LanguageModelV4CallOptions> {
  const { stopSequences, ...numbers } = sampling;
  return {
    ...defined(numbers),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    ...choiceFor(toolChoice, isFirstStep, toolNames),
  };
}

function choiceFor(
  choice: ToolChoice | undefined,
  isFirstStep: boolean,
  toolNames: readonly string[],
): Pick<LanguageModelV4CallOptions, "toolChoice"> {
  if (choice === undefined || toolNames.length === 0) return {};
  if (choice === "none") return { toolChoice: { type: "none" } };
  if (!isFirstStep) return {};
  if (choice === "required") return { toolChoice: { type: "required" } };
  return { toolChoice: { type: "tool", toolName: choice.name } };
}

const defined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
