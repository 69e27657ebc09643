/** /v1/outputs: what a failed command printed, whole. */
import { CommandOutput } from "@capstan/client/wire";
import { includesRight } from "@capstan/core/internal";
import type { Packages } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { Id, json, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";

const get = createRoute({
  operationId: "getCommandOutput",
  ...needs("capability", "use"),
  method: "get",
  path: "/v1/outputs/{id}",
  summary: "Everything a failed command printed; its id is in the failure's details",
  request: { params: Id },
  responses: { 200: json(CommandOutput, "The output.") },
});

export function outputRoutes({ packages }: { readonly packages: Packages }) {
  const routes = newRoutes("packages");
  routes.openapi(get, async (c) => {
    const { id } = c.req.valid("param");
    const { email, rights } = c.get("caller");
    const isMine = (owner: string) => owner === email || includesRight(rights, "admin");
    const found = await packages.outputs.read(id, isMine);
    if (!found.ok) return problem(c, found.failure);
    const { owner: _, ...output } = found.value;
    return c.json({ id, ...output }, 200);
  });
  return routes;
}
