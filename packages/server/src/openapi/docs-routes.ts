/** /openapi.json and /docs: the API described by its own routes, readable offline. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, newRoutes } from "../http/define-route.ts";
import { type ApiDocument, apiDocument } from "./api-document.ts";
import { docsPage } from "./docs-page.ts";

export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  let document: ApiDocument | undefined;
  const read = () => (document ??= apiDocument(app)); // created once: routes do not change
  return newRoutes()
    .get("/openapi.json", (c) => c.json(read()))
    .get("/docs", (c) => c.html(docsPage(read() as never)));
}
