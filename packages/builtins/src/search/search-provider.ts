/** The interface of a search service: how to build a request and parse the response. One file per service in this folder. */
import type { GuardedFetchOptions } from "@capstan/core";

export type SearchProviderName = "searxng" | "brave" | "tavily";

export interface SearchSettings {
  readonly provider: SearchProviderName;
  /** Required for SearXNG; the others have a public address. */
  readonly baseUrl?: string | undefined;
  /** Required for Brave and Tavily. */
  readonly apiKey?: string | undefined;
}

export interface SearchQuestion {
  readonly query: string;
  readonly maxResults: number;
  readonly language?: string | undefined;
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly published?: string | undefined;
}

export interface SearchProvider {
  /** The missing setting, or undefined. */
  missing(settings: SearchSettings): string | undefined;
  ask(question: SearchQuestion, settings: SearchSettings): { url: string } & GuardedFetchOptions;
  /** The parsed results, or undefined when the response is not from this provider. */
  read(answer: unknown): SearchResult[] | undefined;
}
