/** Where a browser goes after signing in: always one of our own pages, whatever the request asked for. */

const MOST_CHARS = 2000;

/** A browser takes `//evil.example`, `/\evil.example` and a tab in between as other sites. */
export function returnPath(asked: string | undefined): string {
  if (asked === undefined || asked.length > MOST_CHARS || !asked.startsWith("/")) return "/";
  const here = "http://here.invalid";
  if (!URL.canParse(asked, here)) return "/";
  const { origin, pathname, search, hash } = new URL(asked, here);
  const path = `${pathname}${search}${hash}`;
  const isOurs = origin === here && !path.startsWith("//") && !path.includes("\\");
  return isOurs && !/^\/(login|logout)(\/|$)/.test(pathname) ? path : "/";
}
