/** /openapi.json and /docs: the API described by its own routes, readable offline. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, newRoutes } from "../http/define-route.ts";
import { type ApiDocument, apiDocument } from "./api-document.ts";
import { DOCS_SCRIPT_PATH, docsPage } from "./docs-page.ts";
import { DOCS_SCRIPT } from "./docs-script.ts";

const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  let document: ApiDocument | undefined;
  const read = () => (document ??= apiDocument(app)); // created once: routes do not change
  return newRoutes()
    .get("/openapi.json", (c) => c.json(read()))
    .get("/docs", (c) => c.html(docsPage(read() as never), 200, PAGE_HEADERS))
    .get(DOCS_SCRIPT_PATH, (c) =>
      c.body(DOCS_SCRIPT, 200, {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "no-cache",
      }),
    );
}
