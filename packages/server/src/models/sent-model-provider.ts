/** What a PUT of a model provider changes. Sending back the provider as it was read saves and tests nothing. */
import { isReadBack, type ProviderInfo, ProviderPut } from "@capstan/client/wire";
import { ok, type Result } from "@capstan/core";
import type { z } from "@hono/zod-openapi";
import { changesOf } from "../http/sent-back.ts";
import { sentSecret } from "../http/sent-secret.ts";
import type { Credentials, Providers } from "./providers.ts";

/** Derived fields; a new provider has none. */
const FOLLOWS = ["label", "configured", "from", "needs_address", "example_address"];

/** Undefined when it was sent back unchanged. A body without read-only fields tests what is saved. */
export async function sentModelProvider(
  providers: Providers,
  { provider, current }: { readonly provider: string; readonly current: ProviderInfo | undefined },
  { api_key, ...sent }: z.output<typeof ProviderPut>,
): Promise<Result<Credentials | undefined>> {
  const stored = await providers.withGiven(provider, {});
  const key = sentSecret("api_key", api_key, stored.apiKey !== undefined);
  if (!key.ok) return key;
  const figures = ["check", ...(current ? [] : FOLLOWS)];
  const changes = changesOf(
    { schema: ProviderPut, what: "provider", current: current ?? { provider }, figures },
    sent,
  );
  if (!changes.ok) return changes;
  const isRead = Object.keys(sent).some((name) => isReadBack(ProviderPut, name));
  if (isRead && key.value === undefined && Object.keys(changes.value).length === 0) return ok(undefined);
  // A key stays with the address it was given for; without a key, sending the current address is not a change.
  const isPinned = key.value !== undefined && providers.takesAddresses;
  const baseUrl = isPinned || !isRead ? sent.base_url : changes.value.base_url;
  return ok({
    ...(key.value !== undefined && { apiKey: key.value }),
    ...(baseUrl !== undefined && { baseUrl }),
  });
}
