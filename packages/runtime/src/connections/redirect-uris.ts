/**
 * Where an authorization server sends the browser back to: an address of its own for each, so that an answer at another's
 * address is refused (mix-up, RFC 9700, 4.4). Providers of the table share one, which operators register by hand; their
 * addresses are fixed, so none of them can be a hostile server. It is not below the shared one: GitHub accepts any path below it.
 */
import type { ConfiguredProvider } from "./connection-providers.ts";

export const SHARED_REDIRECT_PATH = "/connections/callback";

export const ownRedirectPath = (provider: string): string =>
  `/connections/from/${encodeURIComponent(provider)}`;

export const redirectUriOf = (
  origin: string,
  { id, isListed }: Pick<ConfiguredProvider, "id" | "isListed">,
): string => origin + (isListed ? SHARED_REDIRECT_PATH : ownRedirectPath(id));
