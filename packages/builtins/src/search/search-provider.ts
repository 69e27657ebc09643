/** What a search service is to us: how it is asked, and how its answer reads. One file a service beside this one. */
import type { GuardedFetchOptions } from "@capstan/core";

export type SearchProviderName = "searxng" | "brave" | "tavily";

export interface SearchSettings {
  readonly provider: SearchProviderName;
  /** Needed for SearXNG; the others have a public address. */
  readonly baseUrl?: string | undefined;
  /** Needed for Brave and Tavily. */
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
  /** What a setting lacks, or undefined. */
  missing(settings: SearchSettings): string | undefined;
  ask(question: SearchQuestion, settings: SearchSettings): { url: string } & GuardedFetchOptions;
  /** The results in an answer, or undefined when it is not one of this provider's. */
  read(answer: unknown): SearchResult[] | undefined;
}
