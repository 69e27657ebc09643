/** proxy.fetch, proxy.extract: a page unchanged, or its key points. proxy.search shares research's search. */
import { type AnyTool, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { keyPoints } from "./key-points.ts";
import { readPage } from "./page.ts";

const url = z.url({ protocol: /^https?$/ }).describe("The address.");

export function proxyFetch(): AnyTool {
  return defineTool({
    name: "proxy_fetch",
    risk: "read",
    description: "Fetch a URL and return its text.",
    input: z.object({ url }),
    idempotent: true,
    run: async ({ url }, { fetch, signal }) => {
      const page = await readPage(fetch, url, signal);
      if (!page.ok) return page;
      const { status, contentType, text } = page.value;
      return ok({ url, status, content_type: contentType, content: text });
    },
  });
}

export function proxyExtract(): AnyTool {
  return defineTool({
    name: "proxy_extract",
    risk: "read",
    description: "Open a URL and extract its title, key points and links.",
    input: z.object({ url }),
    idempotent: true,
    run: async ({ url }, { fetch, signal }) => {
      const page = await readPage(fetch, url, signal);
      if (!page.ok) return page;
      const { text } = page.value;
      const title = /^#\s+(.+)$/m.exec(text)?.[1] ?? "";
      return ok({ url, title, key_points: keyPoints(text), links: linksIn(text, url) });
    },
  });
}

const MOST_LINKS = 50;

/** Absolute URLs: most links of a page are relative. */
function linksIn(text: string, page: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s#][^)\s]*)\)/g)].flatMap(
    ([, link = ""]) => URL.parse(link, page) ?? [],
  );
  const others = links.filter(({ protocol }) => /^https?:$/.test(protocol)).map(({ href }) => href);
  return [...new Set(others)].slice(0, MOST_LINKS);
}
