/** One web page as text, for research and the proxy: fetched through the guarded network, bounded, HTML converted to Markdown. */
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const MAX_TEXT_CHARS = 200_000;

export async function readPage(fetch: GuardedFetch, url: string, signal: AbortSignal): Promise<Result<Page>> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) return answer;
  const { status, headers } = answer.value;
  const contentType = headers.get("content-type") ?? "";
  if (status >= 400) return fail("network_error", { url, why: `the site answered ${status}` });
  if (!/^(text\/|application\/(json|xml|xhtml))/.test(contentType)) {
    return fail("network_error", { url, why: `it is ${contentType || "of unknown type"}, not text` });
  }
  const body = (await answer.value.text()).slice(0, MAX_TEXT_CHARS);
  if (!contentType.includes("html")) return ok({ url, status, contentType, text: body });
  const { htmlToMarkdown } = await import("../html/html-to-markdown.ts");
  return ok({ url, status, contentType, text: htmlToMarkdown(body) });
}
