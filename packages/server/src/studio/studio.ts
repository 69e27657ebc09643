/** The studio's built files at `/`. The paths of its screens get index.html. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, Hono } from "hono";

/** In the published package, and in the repository after a build. */
const FOLDERS = ["../web", "../../../web/dist"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
};

/** Nothing external may run in the studio, and no other page may frame it. */
const SECURITY = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-src blob:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** The first words of the studio's own paths; every other path is 404. `tools/studio-screens.test.ts` compares them with web/src/app.tsx. */
export const SCREENS: readonly string[] = [
  "chat",
  "agents",
  "sessions",
  "approvals",
  "budgets",
  "rules",
  "experiments",
  "memories",
  "capabilities",
  "compare",
  "route",
  "coding-agents",
  "packages",
  "schedules",
  "usage",
  "connections",
  "consent",
  "shared",
  "settings",
];

/** First words of what programs read, and never a page. */
const PROGRAMS: readonly string[] = ["v1", "api", "openai", "mcp", "a2a", "metrics", ".well-known", "assets"];

/** By a person in a browser, who can read the studio's "not found" but not a problem in JSON. */
const isBrowsed = (c: Context): boolean =>
  c.req.header("sec-fetch-mode") === "navigate" || /^text\/html\b/.test(c.req.header("accept") ?? "");

export function studioRoutes(): Hono {
  const folder = FOLDERS.find((path) => existsSync(join(path, "index.html")));
  const files = folder === undefined ? new Map<string, Buffer>() : readAll(folder);
  const routes = new Hono();
  routes.get("*", async (c, next) => {
    const path = c.req.path === "/" ? "/index.html" : c.req.path;
    const asset = files.get(path);
    if (asset) return answer(asset, path);
    const index = files.get("/index.html");
    const [, first = ""] = path.split("/");
    if (index && SCREENS.includes(first)) return answer(index, "/index.html");
    if (index && !PROGRAMS.includes(first) && isBrowsed(c)) return answer(index, "/index.html", 404);
    if (path === "/index.html")
      return c.text("The studio is not built. Run `npm start`, or `npm run build` once.\n", 404);
    return next();
  });
  return routes;
}

function answer(body: Buffer, path: string, status = 200): Response {
  const caching = path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(body as Buffer<ArrayBuffer>, {
    status,
    headers: {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "cache-control": caching,
      ...SECURITY,
    },
  });
}

/** Loaded once at startup: a few hundred kilobytes, and no external path ever reaches the disk. */
function readAll(folder: string, below = "", found = new Map<string, Buffer>()): Map<string, Buffer> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) readAll(folder, path, found);
    else found.set(path, readFileSync(join(folder, path)));
  }
  return found;
}
