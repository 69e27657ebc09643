import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";

/** The agent's AG-UI capabilities document, read as any client would read it. */
export function useAbilities(agentId: string | undefined): Abilities {
  const { data } = useRead(
    ["agents", agentId, "abilities"],
    (signal) => api.agents.capabilities(agentId ?? "", { signal }),
    { enabled: agentId !== undefined },
  );
  return abilitiesOf(data);
}
