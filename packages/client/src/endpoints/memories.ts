/** /v1/memories: facts that outlive a session. */
import type { Connection } from "../connection.ts";
import type { Memory, MemoryCreate, MemoryPatch, MemoryQuery } from "../wire/memories.ts";
import type { Items } from "../wire/page.ts";

const path = (id: string) => `/v1/memories/${encodeURIComponent(id)}`;

export const memoryEndpoints = ({ json }: Connection) => ({
  list: (query: MemoryQuery = {}, signal?: AbortSignal) =>
    json<Items<Memory> & { next_cursor?: string }>("GET", "/v1/memories", { query: { ...query }, signal }),
  create: (memory: MemoryCreate) => json<Memory>("POST", "/v1/memories", { json: memory }),
  update: (id: string, patch: MemoryPatch) => json<Memory>("PATCH", path(id), { json: patch }),
  forget: (id: string) => json<void>("DELETE", path(id)),
});
