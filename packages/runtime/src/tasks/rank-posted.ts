/** Ranks a catalog posted by a client in small steps: thousands take seconds, and other requests run in between. */
import {
  documentTexts,
  postedDocument,
  type RankCatalogRequest,
  type RankedTask,
  type RouteIndex,
  rankCatalog,
  taskTexts,
} from "@capstan/core/internal";
import type { RouteTier } from "./route-tier.ts";

const BREATH_MS = 20; // the longest that other requests wait for a ranking
/** The maximum of texts embedded for one request, at some 3 ms each; a larger catalog is ranked by the table. */
const MODEL_TEXTS = 6_000;

export interface RankedCatalog {
  readonly results: readonly RankedTask[];
  readonly tier: RouteTier["name"];
}

export async function rankPosted(
  request: RankCatalogRequest,
  tier: RouteTier,
  signal?: AbortSignal,
): Promise<RankedCatalog> {
  const model = textsIn(request) <= MODEL_TEXTS ? tier.model() : undefined;
  if (!model)
    return {
      results: await rankInTurns(request, { embed: tier.table(), gloss: tier.gloss }, { signal }),
      tier: "static",
    };
  try {
    const { embed, prepare } = model;
    return { results: await rankInTurns(request, { embed }, { prepare, signal }), tier: "minilm" };
  } catch (error) {
    tier.failed(error);
    return rankPosted(request, tier, signal);
  }
}

const textsIn = ({ capabilities, tasks }: RankCatalogRequest): number =>
  capabilities.reduce((sum, { triggers }) => sum + 1 + (triggers?.length ?? 0), tasks.length);

async function rankInTurns(
  request: RankCatalogRequest,
  reading: Pick<RouteIndex, "embed"> & Partial<Pick<RouteIndex, "gloss">>,
  {
    prepare,
    signal,
  }: { prepare?: (texts: readonly string[]) => Promise<void>; signal?: AbortSignal | undefined },
): Promise<RankedTask[]> {
  const results: RankedTask[] = [];
  const ranking = rankCatalog(request, reading);
  let breath = performance.now();
  for (const texts of textsInTurn(request)) {
    if (signal?.aborted) break; // nobody reads the response
    await prepare?.(texts());
    const { value } = ranking.next();
    if (value) results.push(value);
    if (performance.now() - breath < BREATH_MS) continue;
    await new Promise(setImmediate);
    breath = performance.now();
  }
  return results;
}

/** The texts that each step of `rankCatalog` will embed: first the capabilities, then the tasks. */
function* textsInTurn({ capabilities, tasks }: RankCatalogRequest): Generator<() => string[]> {
  for (const capability of capabilities) {
    yield () => {
      const { own, triggers } = documentTexts(postedDocument(capability));
      return [own, ...triggers];
    };
  }
  for (const task of tasks) yield () => taskTexts(task);
}
