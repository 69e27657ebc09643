/** /openapi.json and /docs: the API described by its own routes, readable without a network. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, newRoutes } from "../http/define-route.ts";
import { VERSION } from "../settings/version.ts";
import { docsPage } from "./docs-page.ts";

const INFO = {
  openapi: "3.1.0",
  info: {
    title: "Capstan",
    version: VERSION,
    description: "One capability layer for every agent: compose, discover, route, install and delegate.",
  },
};

export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  let document: ReturnType<typeof app.getOpenAPI31Document> | undefined;
  const read = () => (document ??= app.getOpenAPI31Document(INFO)); // made once: routes do not change
  return newRoutes()
    .get("/openapi.json", (c) => c.json(read()))
    .get("/docs", (c) => c.html(docsPage(read() as never)));
}
