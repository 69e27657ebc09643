/** /v1/coding-agents/{name}/plugins: the program's own plugin commands. They change the machine, so they require an admin. */
import {
  CodingAgentPlugin,
  CodingAgentPluginQuery,
  CodingAgentPlugins,
  PluginOutput,
} from "@capstan/client/wire";
import { ok, type Result } from "@capstan/core";
import { createRoute, z } from "@hono/zod-openapi";
import { json, jsonBody, needs, type newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { codingAgentRefusal } from "./coding-agent-refusal.ts";
import { type CodingAgentRouteParts, manifestOf, unknownAgent } from "./known-agent.ts";

const Name = z.object({ name: z.string() });
const base = { ...needs("coding agent", "use"), tags: ["coding agents"] };
const path = "/v1/coding-agents/{name}/plugins";

const list = createRoute({
  operationId: "listCodingAgentPlugins",
  ...base,
  method: "get",
  path,
  summary: "Installed plugins of a coding agent; with `query`, available ones",
  request: { params: Name, query: CodingAgentPluginQuery },
  responses: { 200: json(CodingAgentPlugins, "The plugins.") },
});

const install = createRoute({
  operationId: "installCodingAgentPlugin",
  ...base,
  method: "post",
  path,
  summary: "Install a plugin with the agent's own command",
  request: { params: Name, body: jsonBody(CodingAgentPlugin) },
  responses: { 200: json(PluginOutput, "The command's output.") },
});

const uninstall = createRoute({
  operationId: "uninstallCodingAgentPlugin",
  ...base,
  method: "delete",
  path: `${path}/{plugin}`,
  summary: "Uninstall a plugin with the agent's own command",
  request: { params: Name.extend(CodingAgentPlugin.shape) },
  responses: { 200: json(PluginOutput, "The command's output.") },
});

export function pluginRoutes(routes: ReturnType<typeof newRoutes>, services: CodingAgentRouteParts): void {
  const plugins = async () => (await services.codingAgents.open()).client.plugins;
  /** Runs a command of a known agent; a refusal by the agent or the command is a failure. */
  const attempt = async <T>(name: string, work: () => Promise<T>): Promise<Result<T>> => {
    if (!(await manifestOf(services, name))) return { ok: false, failure: unknownAgent(name) };
    try {
      return ok(await work());
    } catch (error) {
      const failure = codingAgentRefusal(error);
      if (failure) return { ok: false, failure };
      throw error;
    }
  };
  routes.openapi(list, async (c) => {
    const { name } = c.req.valid("param");
    const { query } = c.req.valid("query");
    const found = await attempt(name, async (): Promise<readonly object[]> => {
      const operations = await plugins();
      return query === undefined ? operations.list(name) : operations.search(name, query);
    });
    if (!found.ok) return problem(c, found.failure);
    return c.json({ items: found.value.map((item) => ({ ...item })) }, 200);
  });
  routes.openapi(install, async (c) => {
    const { name } = c.req.valid("param");
    const { plugin } = c.req.valid("json");
    const output = await attempt(name, async () => (await plugins()).install(name, plugin));
    return output.ok ? c.json({ output: output.value }, 200) : problem(c, output.failure);
  });
  routes.openapi(uninstall, async (c) => {
    const { name, plugin } = c.req.valid("param");
    const output = await attempt(name, async () => (await plugins()).uninstall(name, plugin));
    return output.ok ? c.json({ output: output.value }, 200) : problem(c, output.failure);
  });
}
