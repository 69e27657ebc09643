/** The settings of an organisation after the first: the operator's, without what gives access to the operator's own things. */
import { join } from "node:path";
import { derivedKey } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";

export function organisationSettings(settings: Settings, secret: string, id: string): Settings {
  return {
    ...settings,
    CAPSTAN_DATA_DIR: join(settings.CAPSTAN_DATA_DIR, "organisations", id),
    /** One organisation cannot unseal another's secrets. */
    CAPSTAN_SECRET: derivedKey(secret, `organisation ${id}`).toString("base64url"),
    secrets: {},
    CAPSTAN_SECRET_HOSTS: [],
    CAPSTAN_ALLOW_HOSTS: [],
    CAPSTAN_ALLOW_UNSEPARATED_PACKAGES: false,
    CAPSTAN_OIDC_ADMINS: [],
    CAPSTAN_RIGHTS_APPROVER: undefined,
    CAPSTAN_CODING_AGENT_FOLDERS: [],
    CAPSTAN_HARNESS_AS_SERVER: [],
    CAPSTAN_TEAMS_WEBHOOK: undefined,
    CAPABILITY_TELEMETRY_LOG_FILE: undefined,
  };
}
