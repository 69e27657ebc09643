/**
 * A part of the server. Its `open…` function names what it needs and returns this: the routes it answers and how it stops,
 * beside whatever other features name in turn.
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./define-route.ts";

export interface Feature {
  readonly routes: readonly OpenAPIHono<AppEnv>[];
  /** Absent when nothing runs in the background. */
  close?(): void | Promise<void>;
}

/** What was opened last may use everything before it, so it closes first. */
export async function closeFeatures(opened: readonly Feature[]): Promise<void> {
  for (const feature of opened.toReversed()) await feature.close?.();
}
