/** /v1/memories: facts that outlive a session. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { Memory, MemoryCreate, MemoryPatch, MemoryQuery } from "../wire/memories.ts";

const path = (id: string) => `/v1/memories/${encodeURIComponent(id)}`;

export const memoryEndpoints = ({ json }: Connection) => ({
  ...pagedList<Memory, MemoryQuery, object>({ json }, "/v1/memories"),
  create: (memory: MemoryCreate) => json<Memory>("POST", "/v1/memories", { json: memory }),
  update: (id: string, patch: MemoryPatch) => json<Memory>("PATCH", path(id), { json: patch }),
  forget: (id: string) => json<void>("DELETE", path(id)),
});
