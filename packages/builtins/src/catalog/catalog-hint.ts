/** Name and routing hints of a catalog entry. */
import type { RoutingHints } from "@capstan/core";

export interface CatalogHint {
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  readonly category: string;
  readonly routing: RoutingHints & { readonly route: string; readonly method: "GET" | "POST" };
}

/** It may only call its own route. */
export const own = (route: string) => ({ allow: { routes: [route] } });
