/** What a client of a protocol without sessions may send as a file: a link, or the bytes in a `data:` URL. Anything else would be left out. */
import { z } from "zod";

const NEITHER = "expected a URL with http: or https:, or a data: URL with base64";
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

export const MediaUrl = z.string().refine((url) => isLink(url) || isDataUrl(url), NEITHER);

export const Base64 = z.string().refine((text) => isBase64(text), "expected base64");

const isLink = (url: string): boolean => /^https?:/i.test(url) && URL.canParse(url);

function isDataUrl(url: string): boolean {
  const comma = url.indexOf(",");
  const head = url.slice(0, Math.min(comma, 200));
  return comma > 0 && /^data:[^,]*;base64$/i.test(head) && isBase64(url.slice(comma + 1));
}

/** Line breaks are allowed, as `base64` on a command line writes them. */
const isBase64 = (text: string): boolean => BASE64.test(text.replaceAll(/\s/g, ""));
