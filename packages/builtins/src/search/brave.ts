/** Brave Search: https://api.search.brave.com/app/documentation/web-search */
import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const Answer = z.object({
  // Absent when nothing was found.
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string().catch(""),
          url: z.string(),
          description: z.string().catch(""),
          page_age: z.string().nullish().catch(null),
        }),
      ),
    })
    .nullish(),
});

export const brave: SearchProvider = {
  missing: ({ apiKey }) => (apiKey ? undefined : "an API key"),
  ask({ query, maxResults, language }, { apiKey = "", baseUrl = "https://api.search.brave.com" }) {
    const url = new URL("/res/v1/web/search", baseUrl);
    const count = String(Math.min(20, maxResults)); // its maximum per page
    url.search = new URLSearchParams({
      q: query,
      count,
      ...(language && { search_lang: language }),
    }).toString();
    return { url: url.href, headers: { accept: "application/json", "x-subscription-token": apiKey } };
  },
  read(answer) {
    const parsed = Answer.safeParse(answer);
    if (!parsed.success) return undefined;
    return (parsed.data.web?.results ?? []).map(({ title, url, description, page_age }) => ({
      title,
      url,
      snippet: description,
      published: page_age ?? undefined,
    }));
  },
};
