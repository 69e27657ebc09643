/** Follows redirects. Another origin gets neither the caller's credentials nor its body. */
import { fail, ok, type Result } from "@capstan/core";
import type { Dispatcher } from "undici";
import { shownUrl } from "./url-policy.ts";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that another origin may see: any other may contain a key. */
const HARMLESS_HEADERS = new Set(["accept", "accept-encoding", "accept-language", "user-agent"]);

/** One request as sent; a redirect makes the next from it. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** The next request, a refusal, or undefined when the response is not a redirect. */
export function nextHop(
  hop: Hop,
  { statusCode, headers }: Pick<Dispatcher.ResponseData, "statusCode" | "headers">,
  redirects: number,
  { follow, maxRedirects }: { follow: boolean; maxRedirects: number },
): Result<Hop> | undefined {
  const [target] = [headers.location ?? []].flat();
  if (!REDIRECTS.has(statusCode) || target === undefined) return undefined;
  const location = Buffer.from(target, "latin1").toString("utf8"); // header bytes; sites write UTF-8 there
  const refuse = (why: string) =>
    fail("redirect_refused", { url: shownUrl(hop.url), location: location.slice(0, 200), why });
  if (!follow) return refuse("this request does not follow redirects");
  if (redirects >= maxRedirects) return refuse(`it is more than ${maxRedirects} redirects away`);
  const url = URL.parse(location, hop.url);
  if (!url) return refuse("it is not a URL");
  const { method, body } = afterRedirect(hop, statusCode);
  const sameOrigin = url.origin === hop.url.origin;
  if (!sameOrigin && body !== null) return refuse("the request's body would go to another server");
  return ok({ url, method, body, headers: headersAfter(hop.headers, sameOrigin, body !== null) });
}

/** 303 always becomes a GET, and so does a POST after 301 and 302, as in browsers. */
function afterRedirect({ method, body }: Hop, statusCode: number): Pick<Hop, "method" | "body"> {
  const becomesGet = statusCode === 303 ? method !== "HEAD" : statusCode < 303 && method === "POST";
  return becomesGet ? { method: "GET", body: null } : { method, body };
}

function headersAfter(headers: Hop["headers"], sameOrigin: boolean, hasBody: boolean): Hop["headers"] {
  const kept = Object.entries(headers).filter(
    ([name]) => (sameOrigin || HARMLESS_HEADERS.has(name)) && (hasBody || name !== "content-type"),
  );
  return Object.fromEntries(kept);
}
