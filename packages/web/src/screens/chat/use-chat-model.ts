import type { Session } from "@capstan/client";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

const PLACE = "model"; // in the session's metadata, so that the choice holds in every browser

/** The model chosen for this chat alone; undefined: the agent's. */
export function useChatModel(session: Session) {
  const kept = session.metadata[PLACE];
  const choose = useChange(
    // Null takes an entry out of the metadata.
    (model: string | undefined) => api.sessions.update(session.id, { metadata: { [PLACE]: model ?? null } }),
    ["sessions"],
  );
  return {
    model: typeof kept === "string" ? kept : undefined,
    useModel: (model: string | undefined) => choose.mutate(model),
  };
}
