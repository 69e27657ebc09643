/**
 * Sessions across several programs: continuing in another one, comparing several side by side, and changes to real
 * folders.
 */
import { type ChangeRouteParts, changeRoutes } from "../changes/change-routes.ts";
import type { Feature } from "../http/feature.ts";
import type { CompareParts } from "./compare-programs.ts";
import { comparisonRoutes } from "./comparison-routes.ts";
import { compatibilityRoutes } from "./compatibility-routes.ts";

export const openPrograms = (parts: CompareParts & ChangeRouteParts): Feature => ({
  routes: [compatibilityRoutes(parts), comparisonRoutes(parts), changeRoutes(parts)],
});
