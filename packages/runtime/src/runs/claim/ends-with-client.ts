/**
 * Whether a run is cancelled when its client disconnects: set by the request, otherwise by the agent's current
 * setting.
 */
export const ENDS_WITH_CLIENT = `(input->'client' is not null and (input->'client'->>'ephemeral' = 'true'
  or coalesce(input->'client'->>'onDisconnect',
    (select settings->>'onDisconnect' from agents where agents.id = runs.agent_id::uuid)) = 'cancel'))`;
