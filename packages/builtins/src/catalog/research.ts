/** research.search, research.fetch-page, research.deep: search, read, and summarise with sources. */
import { type AnyTool, defineTool, ok, type Result, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, notConfigured, type SearchHit } from "./catalog-parts.ts";
import { keyPoints } from "./key-points.ts";
import { type Page, readPage } from "./page.ts";

const query = z.string().min(1).max(2000).describe("What to look for.");
const PAGES_READ = 4;
const NO_SEARCH = notConfigured(
  "Web search",
  "Set SEARXNG_URL, BRAVE_API_KEY or TAVILY_API_KEY and restart the server.",
);

export function searchWeb({ search }: CatalogParts, name = "research_search"): AnyTool {
  return defineTool({
    name,
    risk: "read",
    description: "Search the web for a topic.",
    input: z.object({ query, limit: z.int().min(1).max(20).default(8) }),
    idempotent: true,
    run: async ({ query, limit }, { signal }) => {
      if (!search) return NO_SEARCH;
      const hits = await search(query, limit, signal);
      return hits.ok ? ok({ query, results: hits.value }) : hits;
    },
  });
}

export function fetchPage(): AnyTool {
  return defineTool({
    name: "research_fetch_page",
    risk: "read",
    description: "Open one web page and read its text and key points.",
    input: z.object({ url: z.url({ protocol: /^https?$/ }) }),
    idempotent: true,
    run: async ({ url }, { fetch, signal }) => {
      const page = await readPage(fetch, url, signal);
      return page.ok ? ok({ url, text: page.value.text, key_points: keyPoints(page.value.text) }) : page;
    },
  });
}

export function researchDeep(parts: CatalogParts): AnyTool {
  return defineTool({
    name: "research_deep",
    risk: "read",
    description: "Research a topic in depth: search, read several pages, and summarise with sources.",
    input: z.object({ query }),
    timeoutMs: 180_000,
    idempotent: true,
    run: async ({ query }, context) => {
      const sources = await findSources(parts, query, context);
      if (!sources.ok) return sources;
      const pages = await readAll(sources.value, context);
      const findings = pages.map(({ url, text }) => ({ url, key_points: keyPoints(text, 3) }));
      const notes = findings.map(({ url, key_points }) => `${url}\n${key_points.join("\n")}`).join("\n\n");
      const made =
        pages.length === 0
          ? undefined
          : await parts.generate?.(
              {
                system: "Summarise the notes for the question. Name the source after each statement.",
                prompt: `Question: ${query}\n\nNotes:\n${notes}`,
                signal: context.signal,
              },
              context,
            );
      if (!made) return ok({ query, findings, summary: findings.flatMap((f) => f.key_points).join(" ") });
      return made.ok ? ok({ query, findings, summary: made.value.text, model: made.value.model }) : made;
    },
  });
}

/** URLs in the question are used as sources; otherwise a search finds them. */
async function findSources(
  { search }: CatalogParts,
  query: string,
  { signal }: ToolContext,
): Promise<Result<SearchHit[]>> {
  const urls = query.match(/https?:\/\/[^\s"'<>)]+/g) ?? [];
  if (urls.length > 0) return ok(urls.map((url) => ({ title: url, url, snippet: "" })));
  return search ? search(query, PAGES_READ * 2, signal) : NO_SEARCH;
}

async function readAll(hits: readonly SearchHit[], { fetch, signal }: ToolContext): Promise<Page[]> {
  const read = await Promise.all(hits.slice(0, PAGES_READ).map(({ url }) => readPage(fetch, url, signal)));
  return read.flatMap((page) => (page.ok ? [page.value] : []));
}
