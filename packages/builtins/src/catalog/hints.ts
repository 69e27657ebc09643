/** The catalog's entries by id. To add one: a row in its area's file, and its tool in catalog-capabilities.ts. */
import { companyHints } from "./hints-company.ts";
import { localAiHints } from "./hints-local-ai.ts";
import { mediaHints } from "./hints-media.ts";
import { researchHints } from "./hints-research.ts";

export const CATALOG_HINTS = { ...companyHints, ...researchHints, ...mediaHints, ...localAiHints };

export type CatalogId = keyof typeof CATALOG_HINTS;
