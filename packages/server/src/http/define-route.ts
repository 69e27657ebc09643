/** What our route definitions share: the right a key must have, the bodies, and one answer to bad input. */

import { fail } from "@capstan/core";
import { whatIsWrong } from "@capstan/core/internal";
import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { Caller, Right } from "./caller.ts";
import { problem } from "./problem.ts";

export interface AppEnv {
  Variables: { caller: Caller };
}

const RIGHTS: Record<Right, number> = { read: 0, run: 1, admin: 2 };

export function requireRight(right: Right): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { rights } = c.get("caller");
    if (rights.some((held) => RIGHTS[held] >= RIGHTS[right])) return next();
    const message = `This key has the right ${rights.join(", ") || "to nothing"}, and this needs "${right}".`;
    return problem(
      c,
      fail("forbidden", { message, nextStep: "Use a key with that right; an admin makes one." }).failure,
    );
  };
}

/** What every route's definition starts with: the right it needs, for the check and for the OpenAPI document. */
export const needs = (right: Right) => ({
  "x-capstan-right": right,
  middleware: requireRight(right),
});

/** A part of the API. A body or parameter outside its schema is answered before the handler runs. */
export function newRoutes(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const where = whatIsWrong(result.error as z.ZodError);
      return problem(c, fail("input_invalid", { where, issues: result.error.issues }).failure);
    },
  });
}

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: { "application/json": { schema } },
});
