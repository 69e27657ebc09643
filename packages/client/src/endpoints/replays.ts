/** Replays: recorded runs, run again with a change. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { Replay, ReplayCreate, ReplayedRun, ReplayQuery, ReplayReport } from "../wire/replays.ts";

const at = (id: string) => `/v1/replays/${encodeURIComponent(id)}`;

export const replayEndpoints = ({ json }: Connection) => ({
  ...pagedList<Replay, Record<string, never>, object>({ json }, "/v1/replays"),
  create: (replay: ReplayCreate) => json<Replay>("POST", "/v1/replays", { json: replay }),
  /** Its progress, with a page of comparisons. */
  get: (id: string, query: ReplayQuery = {}, signal?: AbortSignal) =>
    json<ReplayReport>("GET", at(id), { query: { ...query }, signal }),
  /** One run side by side with its replay. */
  ofRun: (id: string, runId: string, signal?: AbortSignal) =>
    json<ReplayedRun>("GET", `${at(id)}/runs/${encodeURIComponent(runId)}`, { signal }),
  cancel: (id: string) => json<Replay>("POST", `${at(id)}/cancel`),
  remove: (id: string) => json<void>("DELETE", at(id)),
});
