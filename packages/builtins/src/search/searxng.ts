/** SearXNG, self-hosted. Its JSON format is off by default: `search.formats` in its settings.yml must list json. */
import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const Answer = z.object({
  results: z.array(
    z.object({
      title: z.string().catch(""),
      url: z.string(),
      content: z.string().catch(""),
      publishedDate: z.string().nullish().catch(null),
    }),
  ),
});

export const searxng: SearchProvider = {
  missing: ({ baseUrl }) => (baseUrl ? undefined : "its base URL"),
  ask({ query, language }, { baseUrl = "" }) {
    const url = new URL("search", baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
    url.search = new URLSearchParams({ q: query, format: "json", ...(language && { language }) }).toString();
    return { url: url.href, headers: { accept: "application/json" } };
  },
  read: (answer) =>
    Answer.safeParse(answer).data?.results.map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      snippet: content,
      published: publishedDate ?? undefined,
    })),
};
