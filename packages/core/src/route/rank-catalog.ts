/** POST /v1/route/rank: ranks any posted catalog, so that an external set can be scored against a running server. */
import { z } from "zod";
import type { RouteDocument } from "./document.ts";
import { type Match, rank } from "./rank.ts";
import { createRouteIndex, type RouteIndexOptions } from "./route-index.ts";

const MAX_CAPABILITIES = 20_000;
const MAX_TASKS = 10_000;

const names = z.array(z.string()).max(1_000).nullish();

export const rankCatalogRequest = z.strictObject({
  capabilities: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        name: z.string().nullish(),
        description: z.string().nullish(),
        tags: names,
        triggers: names,
        params: names,
        domain: z.string().nullish(),
        actions: names,
      }),
    )
    .max(MAX_CAPABILITIES),
  tasks: z.array(z.string()).max(MAX_TASKS),
  topK: z.int().min(1).max(100).default(10),
});
export type RankCatalogRequest = z.output<typeof rankCatalogRequest>;

/** A posted capability as an index document. */
export const postedDocument = ({
  id,
  name,
  description,
  tags,
  triggers,
  params,
  domain,
  actions,
}: RankCatalogRequest["capabilities"][number]): RouteDocument => ({
  id,
  name: name ?? id,
  description: description ?? "",
  tags: tags ?? [],
  triggers: triggers ?? [],
  params: params ?? [],
  actions: actions ?? [],
  ...(domain != null && { domain }),
});

export interface RankedTask {
  readonly task: string;
  /** Empty: nothing fits. */
  readonly matches: readonly Match[];
}

/**
 * One result per task, in order; before the first, `undefined` for each capability read. An iterator: thousands
 * of either take seconds, and the caller decides when other work gets its turn.
 */
export function* rankCatalog(
  { capabilities, tasks, topK }: RankCatalogRequest,
  options: RouteIndexOptions = {},
): Generator<RankedTask | undefined> {
  const index = createRouteIndex(options);
  for (const capability of capabilities) {
    index.add(postedDocument(capability));
    yield undefined;
  }
  for (const task of tasks) yield { task, matches: rank(task, index, { topK }).matches };
}
