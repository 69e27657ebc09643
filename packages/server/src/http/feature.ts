/**
 * A part of the server. Its `open…` function declares what it needs and returns this: its routes and how to stop it,
 * plus whatever other features need from it.
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./define-route.ts";

export interface Feature {
  readonly routes: readonly OpenAPIHono<AppEnv>[];
  /** Absent when nothing runs in the background. */
  close?(): void | Promise<void>;
}

/** A feature may use those opened before it, so the last one closes first. */
export async function closeFeatures(opened: readonly Feature[]): Promise<void> {
  for (const feature of opened.toReversed()) await feature.close?.();
}
