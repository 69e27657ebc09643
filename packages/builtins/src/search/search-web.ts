/**
 * Web search through an external service. Sending, errors and limits are implemented once, here.
 * To add a service: its file, and its name in PROVIDERS.
 */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import { brave } from "./brave.ts";
import type {
  SearchProvider,
  SearchProviderName,
  SearchQuestion,
  SearchResult,
  SearchSettings,
} from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

const PROVIDERS: Record<SearchProviderName, SearchProvider> = { searxng, brave, tavily };

const STATUS_FAULTS: Record<number, string> = {
  401: "its API key was rejected",
  403: "it rejected the request; check the API key, or for SearXNG that the JSON format is enabled",
  429: "its rate limit was reached",
};
const MAX_SNIPPET_CHARS = 1_000;

/** Search settings of an agent's config. */
export interface SearchChoice {
  readonly provider?: SearchProviderName | undefined;
  readonly searxng_url?: string | undefined;
}

/** The agent's own SearXNG, otherwise the provider it names, otherwise the server's default. Keys belong to the server only. */
export function chooseSearch(
  offered: readonly SearchSettings[],
  { provider, searxng_url }: SearchChoice,
): SearchSettings | undefined {
  if (searxng_url && (provider ?? "searxng") === "searxng")
    return { provider: "searxng", baseUrl: searxng_url };
  if (!provider) return offered[0];
  return offered.find((settings) => settings.provider === provider) ?? { provider };
}

/** Why web search is unavailable with these settings; undefined when it is available. */
export function searchUnavailable(settings: SearchSettings | undefined): string | undefined {
  if (!settings) return "no search provider is configured (SearXNG, Brave or Tavily)";
  const missing = PROVIDERS[settings.provider].missing(settings);
  return missing && `the search provider ${settings.provider} needs ${missing}`;
}

export async function searchWeb(
  question: SearchQuestion,
  settings: SearchSettings,
  fetch: GuardedFetch,
  signal: AbortSignal,
): Promise<Result<SearchResult[]>> {
  const provider = PROVIDERS[settings.provider];
  const refuse = (why: string) => fail("search_failed", { provider: settings.provider, why });
  const { url, ...options } = provider.ask(question, settings);
  // A redirect would send the query, and perhaps the key, to another host.
  const answer = await fetch(url, { ...options, redirects: "refuse", firstByteTimeoutMs: 15_000, signal });
  if (!answer.ok) return answer.failure.code === "cancelled" ? answer : refuse(answer.failure.message);
  const { status } = answer.value;
  if (!answer.value.ok) {
    await answer.value.body?.cancel();
    return refuse(STATUS_FAULTS[status] ?? `it answered with status ${status}`);
  }
  const body = await answer.value.json().catch(() => undefined);
  const results = provider.read(body);
  return results ? ok(await tidy(results, question.maxResults)) : refuse("its response could not be parsed");
}

/** Providers mark matches with HTML, and repeat pages. */
async function tidy(results: readonly SearchResult[], maxResults: number): Promise<SearchResult[]> {
  const { htmlToText } = await import("../html/html-to-markdown.ts");
  const oneLine = (html: string) => htmlToText(html).replace(/\s+/g, " ").trim();
  const byUrl = new Map<string, SearchResult>();
  for (const { title, url, snippet, published } of results) {
    if (!/^https?:\/\//i.test(url) || byUrl.has(url)) continue;
    byUrl.set(url, {
      title: oneLine(title) || url,
      url,
      snippet: oneLine(snippet).slice(0, MAX_SNIPPET_CHARS).toWellFormed(),
      ...(published && { published }),
    });
  }
  return [...byUrl.values()].slice(0, maxResults);
}
