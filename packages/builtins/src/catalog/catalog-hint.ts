/** What a catalog entry says of itself: its name, and how tasks find it. */
import type { RoutingHints } from "@capstan/core";

export interface CatalogHint {
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  readonly category: string;
  readonly routing: RoutingHints & { readonly route: string; readonly method: "GET" | "POST" };
}

/** It may call its own route and no other. */
export const own = (route: string) => ({ allow: { routes: [route] } });
