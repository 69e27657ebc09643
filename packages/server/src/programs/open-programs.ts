/** One conversation in several programs: continued in another, or sent to several side by side. */
import type { Feature } from "../http/feature.ts";
import type { CompareParts } from "./compare-programs.ts";
import { comparisonRoutes } from "./comparison-routes.ts";
import { compatibilityRoutes } from "./compatibility-routes.ts";

export const openPrograms = (parts: CompareParts): Feature => ({
  routes: [compatibilityRoutes(parts), comparisonRoutes(parts)],
});
