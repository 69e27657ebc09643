import { fail, type GuardedFetch, type GuardedFetchOptions, ok } from "@capstan/core";
import { describe, expect, test } from "vitest";
import type { SearchSettings } from "./search-provider.ts";
import { searchUnavailable, searchWeb } from "./search-web.ts";

const SEARXNG: SearchSettings = { provider: "searxng", baseUrl: "https://search.example/sx" };
const BRAVE: SearchSettings = { provider: "brave", apiKey: "brave-key" };
const TAVILY: SearchSettings = { provider: "tavily", apiKey: "tavily-key" };

describe("searchWeb", () => {
  test("queries SearXNG and parses its response", async () => {
    const { results, url } = await search(SEARXNG, {
      results: [
        {
          title: "A &amp; B",
          url: "https://a.example/",
          content: "About <b>A</b>",
          publishedDate: "2026-01-01",
        },
        { title: null, url: "https://b.example/", content: null },
        { title: "again", url: "https://a.example/", content: "" },
        { title: "script", url: "javascript:alert(1)", content: "" },
      ],
    });
    expect(url).toBe("https://search.example/sx/search?q=tides+at+sea&format=json&language=en");
    expect(results).toEqual([
      { title: "A & B", url: "https://a.example/", snippet: "About A", published: "2026-01-01" },
      { title: "https://b.example/", url: "https://b.example/", snippet: "" },
    ]);
  });

  test("queries Brave with the key in a header", async () => {
    const { results, url, options } = await search(BRAVE, {
      web: {
        results: [
          {
            title: "A",
            url: "https://a.example/",
            description: "<strong>Tides</strong>",
            page_age: "2026-01-01",
          },
        ],
      },
    });
    expect(url).toBe("https://api.search.brave.com/res/v1/web/search?q=tides+at+sea&count=3&search_lang=en");
    expect(options?.headers).toMatchObject({ "x-subscription-token": "brave-key" });
    expect(results).toEqual([
      { title: "A", url: "https://a.example/", snippet: "Tides", published: "2026-01-01" },
    ]);
    expect((await search(BRAVE, { type: "search" })).results).toEqual([]);
  });

  test("queries Tavily with the key in a header and not in the body", async () => {
    const { results, url, options } = await search(TAVILY, {
      results: [{ title: "A", url: "https://a.example/", content: "Tides", score: 0.9 }],
    });
    expect(url).toBe("https://api.tavily.com/search");
    expect(options).toMatchObject({ method: "POST", headers: { authorization: "Bearer tavily-key" } });
    expect(JSON.parse(String(options?.body))).toEqual({
      query: "tides at sea",
      max_results: 3,
      search_depth: "basic",
    });
    expect(results).toEqual([{ title: "A", url: "https://a.example/", snippet: "Tides" }]);
  });

  test("returns at most the requested number of results, and follows no redirect", async () => {
    const many = Array.from({ length: 10 }, (_, index) => ({
      title: "t",
      url: `https://a.example/${index}`,
      content: "",
    }));
    const { results, options } = await search(SEARXNG, { results: many });
    expect(results).toHaveLength(3);
    expect(options?.redirects).toBe("refuse");
  });

  test.each([
    [401, "API key"],
    [403, "JSON format"],
    [429, "its rate limit was reached"],
    [500, "status 500"],
  ])("explains the status %d", async (status, words) => {
    const { failure } = await search(BRAVE, {}, status);
    expect(failure).toMatchObject({ code: "search_failed", message: expect.stringContaining(words) });
  });

  test.each(["not json", "[]", '{"results": 5}'])("reports that it cannot parse %s", async (body) => {
    const answer = await ask(TAVILY, async () => ok(new Response(body)));
    expect(answer).toMatchObject({
      failure: { code: "search_failed", message: expect.stringContaining("could not be parsed") },
    });
  });

  test("a network refusal names the provider, and never a key", async () => {
    const answer = await ask(BRAVE, async (url) =>
      fail("network_error", { url, why: "nothing is listening there" }),
    );
    expect(answer).toMatchObject({
      failure: { code: "search_failed", message: expect.stringContaining("nothing is listening there") },
    });
    expect(JSON.stringify(answer)).not.toContain("brave-key");
  });
});

test.each([
  [undefined, "no search provider"],
  [{ provider: "searxng" }, "searxng needs its base URL"],
  [{ provider: "brave" }, "brave needs an API key"],
  [{ provider: "tavily", apiKey: "" }, "tavily needs an API key"],
] as const)("search with %j is unavailable: %s", (settings, why) => {
  expect(searchUnavailable(settings)).toContain(why);
});

test.each([SEARXNG, BRAVE, TAVILY])("search with $provider is available", (settings) => {
  expect(searchUnavailable(settings)).toBeUndefined();
});

async function search(settings: SearchSettings, body: unknown, status = 200) {
  let asked: { url: string; options: GuardedFetchOptions | undefined } | undefined;
  const answer = await ask(settings, async (url, options) => {
    asked = { url, options };
    return ok(Response.json(body, { status }));
  });
  return {
    ...asked,
    results: answer.ok ? answer.value : undefined,
    failure: answer.ok ? undefined : answer.failure,
  };
}

const ask = (settings: SearchSettings, fetch: GuardedFetch) =>
  searchWeb(
    { query: "tides at sea", maxResults: 3, language: "en" },
    settings,
    fetch,
    new AbortController().signal,
  );
