/** Experiments: variants of an agent, measured on a dataset. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  CellQuery,
  Experiment,
  ExperimentCell,
  ExperimentCreate,
  ExperimentQuery,
  ExperimentReport,
  ExperimentTrace,
  ReviewCreate,
  ReviewItem,
} from "../wire/experiments.ts";
import type { Items, Page, PageQuery } from "../wire/page.ts";

const at = (id: string) => `/v1/experiments/${encodeURIComponent(id)}`;

export const experimentEndpoints = ({ json }: Connection) => ({
  ...pagedList<Experiment, ExperimentQuery, object>({ json }, "/v1/experiments"),
  create: (experiment: ExperimentCreate) => json<Experiment>("POST", "/v1/experiments", { json: experiment }),
  /** Its progress and its results so far. */
  get: (id: string, signal?: AbortSignal) => json<ExperimentReport>("GET", at(id), { signal }),
  cells: (id: string, query: CellQuery = {}, signal?: AbortSignal) =>
    json<Page<ExperimentCell>>("GET", `${at(id)}/cells`, { query: { ...query }, signal }),
  /** A variant's answers and calls. */
  cell: (id: string, cellId: string, signal?: AbortSignal) =>
    json<ExperimentTrace>("GET", `${at(id)}/cells/${encodeURIComponent(cellId)}`, { signal }),
  /** Cells that wait for your score. */
  reviews: (id: string, query: PageQuery = {}, signal?: AbortSignal) =>
    json<Page<ReviewItem>>("GET", `${at(id)}/reviews`, { query: { ...query }, signal }),
  review: (id: string, cellId: string, review: ReviewCreate) =>
    json<ExperimentCell>("POST", `${at(id)}/cells/${encodeURIComponent(cellId)}/reviews`, { json: review }),
  cancel: (id: string) => json<Experiment>("POST", `${at(id)}/cancel`),
  remove: (id: string) => json<void>("DELETE", at(id)),
  /** Scorers of `capstan.config.ts`. */
  scorers: () => json<Items<{ name: string; description: string }>>("GET", "/v1/scorers"),
});
