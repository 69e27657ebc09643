/** Models by name, `provider/model`: resolution, supported input, and price. */

import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Result } from "@capstan/core";

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Media a message to the model may contain besides text. */
export interface ModelInputs {
  readonly image: boolean;
  readonly audio: boolean;
  readonly video: boolean;
  readonly pdf: boolean;
}

export interface ResolvedModel {
  /** As requested. */
  readonly name: string;
  /** Display name; a demo is marked as such. */
  readonly label: string;
  readonly provider: string;
  readonly modelId: string;
  readonly model: LanguageModelV4;
  readonly contextWindow: number;
  readonly maxOutputTokens?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  /** Costs nothing: built in, or on this machine. */
  readonly isFree?: boolean;
  readonly inputs: ModelInputs;
  /** True for an unknown model: `inputs` is then what its provider accepts. */
  readonly isUnlisted?: boolean;
  /** The facts that a model brings itself. */
  readonly abilities?: { readonly thinking: boolean; readonly parallelCalls: boolean };
  /** For providers that cache up to a marker: set on the last part of the unchanged prefix. */
  readonly cacheMark?: SharedV4ProviderOptions | undefined;
  /** Sent with every call. */
  readonly callOptions?: SharedV4ProviderOptions | undefined;
  /** Whether JSON output by schema can be combined with tools. */
  readonly jsonWithTools: boolean;
}

export interface Models {
  /** The model of this name, or the server's default when none is given. */
  resolve(name: string | undefined): Promise<Result<ResolvedModel>>;
  /** Whether a run could start with it: for saving an agent. */
  check(name: string | undefined): Promise<Result<true>>;
}
