/** Models by name, `provider/model`: which one answers, what it can take, and what it costs. */

import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Result } from "@capstan/core";

/** US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** What a message to the model may carry beside text. */
export interface ModelInputs {
  readonly image: boolean;
  readonly audio: boolean;
  readonly video: boolean;
  readonly pdf: boolean;
}

export interface ResolvedModel {
  /** As asked for. */
  readonly name: string;
  /** As people see it; a demo says so. */
  readonly label: string;
  readonly provider: string;
  readonly modelId: string;
  readonly model: LanguageModelV4;
  readonly contextWindow: number;
  readonly maxOutputTokens?: number | undefined;
  readonly prices?: ModelPrices | undefined;
  readonly inputs: ModelInputs;
  /** True when nobody knows the model: `inputs` is then what its provider takes. */
  readonly isUnlisted?: boolean;
  /** What is known of a model that brings its own facts. */
  readonly abilities?: { readonly thinking: boolean; readonly parallelCalls: boolean };
  /** Set where the provider caches up to marked places: put on the last part of what stays the same. */
  readonly cacheMark?: SharedV4ProviderOptions | undefined;
  /** Sent with every call. */
  readonly callOptions?: SharedV4ProviderOptions | undefined;
  /** Whether JSON of a schema may be demanded together with tools. */
  readonly jsonWithTools: boolean;
}

export interface Models {
  /** The model of this name, or the server's default when none is named. */
  resolve(name: string | undefined): Promise<Result<ResolvedModel>>;
  /** Whether a run with it could start: for saving an agent. */
  check(name: string | undefined): Promise<Result<true>>;
}
