/** One conversation in several programs: continued in another, or sent to several side by side; and changes of real folders. */
import { type ChangeRouteParts, changeRoutes } from "../changes/change-routes.ts";
import type { Feature } from "../http/feature.ts";
import type { CompareParts } from "./compare-programs.ts";
import { comparisonRoutes } from "./comparison-routes.ts";
import { compatibilityRoutes } from "./compatibility-routes.ts";

export const openPrograms = (parts: CompareParts & ChangeRouteParts): Feature => ({
  routes: [compatibilityRoutes(parts), comparisonRoutes(parts), changeRoutes(parts)],
});
