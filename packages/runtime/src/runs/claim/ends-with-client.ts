/** Whether the run in the row is cancelled without its client: as the request says, else as its agent says now. */
export const ENDS_WITH_CLIENT = `(input->'client' is not null and (input->'client'->>'ephemeral' = 'true'
  or coalesce(input->'client'->>'onDisconnect',
    (select settings->>'onDisconnect' from agents where agents.id = runs.agent_id::uuid)) = 'cancel'))`;
