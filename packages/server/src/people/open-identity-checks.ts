/** Rechecks people with the provider at the configured interval; without a provider, never. */
import {
  type AuditLog,
  type Database,
  derivedKey,
  identityChecks,
  type LoginStore,
  secretBox,
} from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import type { IdentityChecks } from "./identity-types.ts";
import { openIdProvider } from "./openid-provider.ts";

export interface IdentityCheckOptions {
  readonly database: Pick<Database, "orm" | "policyChanges">;
  readonly settings: Settings;
  readonly secret: string;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
}

export function openIdentityChecks({
  database,
  settings,
  secret,
  logins,
  audit,
}: IdentityCheckOptions): IdentityChecks {
  const provider = openIdProvider(settings);
  return identityChecks({
    database,
    box: secretBox(derivedKey(secret, "provider tokens").toString("base64url")),
    everySeconds: provider ? settings.CAPSTAN_OIDC_RECHECK_SECONDS : 0,
    ask: async (known, tokens) => provider?.recheck(known, tokens) ?? "cannot ask",
    async onEnded(email) {
      const ended = await logins.revokeOf(email);
      const actor = provider?.issuer ?? "";
      await audit.add({ actor, action: "login.ended_by_provider", subject: email, details: { ended } });
    },
  });
}
