/** Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search. The key goes in a header, not in the body. */
import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const Answer = z.object({
  results: z.array(
    z.object({
      title: z.string().catch(""),
      url: z.string(),
      content: z.string().catch(""),
      published_date: z.string().nullish().catch(null),
    }),
  ),
});

export const tavily: SearchProvider = {
  missing: ({ apiKey }) => (apiKey ? undefined : "an API key"),
  ask: ({ query, maxResults }, { apiKey = "", baseUrl = "https://api.tavily.com" }) => ({
    url: new URL("/search", baseUrl).href,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ query, max_results: Math.min(20, maxResults), search_depth: "basic" }),
  }),
  read: (answer) =>
    Answer.safeParse(answer).data?.results.map(({ title, url, content, published_date }) => ({
      title,
      url,
      snippet: content,
      published: published_date ?? undefined,
    })),
};
