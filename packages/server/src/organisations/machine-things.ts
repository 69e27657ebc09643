/**
 * Only the first organisation can use features with access to the machine: services are started from its folders, and
 * a coding agent that a caller runs directly has the machine's network. In other organisations these routes refuse;
 * lists still work.
 */
import { fail } from "@capstan/core";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../http/define-route.ts";
import type { Feature } from "../http/feature.ts";
import { problem } from "../http/problem.ts";

const MACHINE: ReadonlyMap<string, string> = new Map([
  ["change service", "Services"],
  ["use coding agent", "Coding agents"],
  ["see transcript", "Transcripts"],
  ["see host file", "Files of the machine"],
  ["use change", "Folders of the machine"],
]);

/** Before the routes themselves, for each that declares one of these. */
export function refuseMachineThings(app: OpenAPIHono<AppEnv>, routes: Feature["routes"]): void {
  for (const { openAPIRegistry } of routes)
    for (const definition of openAPIRegistry.definitions) {
      if (definition.type !== "route") continue;
      const { method, path, "x-capstan-authority": authority } = definition.route as Declared;
      const what = MACHINE.get(authority ?? "");
      if (what === undefined) continue;
      const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
      app.on(method.toUpperCase(), pattern, (c) =>
        problem(c, fail("organisation_of_operator", { what }).failure),
      );
    }
}

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly "x-capstan-authority"?: string;
}
