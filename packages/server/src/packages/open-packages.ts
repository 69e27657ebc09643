/** Installed packages and the services they run beside the server. */
import { join, resolve } from "node:path";
import type { CapabilityRegistry, GuardedFetch } from "@capstan/core";
import {
  type CapabilitySecrets,
  type ConnectionProviders,
  type ConnectionStore,
  type Database,
  type DatabaseRetry,
  mcpAccountStore,
  openPackages,
  type Packages,
} from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import { boundSecrets, ownOrigin, type Settings } from "../settings/settings.ts";
import { outputRoutes } from "./output-routes.ts";
import { type PackageRouteParts, packageRoutes } from "./package-routes.ts";
import { serviceRoutes } from "./service-routes.ts";

export interface PackageParts extends Omit<PackageRouteParts, "packages"> {
  readonly settings: Settings;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly fetch: GuardedFetch;
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
  readonly capabilitySecrets: CapabilitySecrets;
  readonly environment: Readonly<Record<string, string>>;
  readonly onError: (error: unknown, what?: string) => void;
  readonly withRetry: DatabaseRetry;
  /** Tells the operator something that is not an error. */
  readonly note: (message: string) => void;
}

/**
 * What pip and npm may see of the operator's environment while they are asked where the registry is: PATH and HOME (to be
 * found, and for .npmrc and pip.conf), a place for temporary files, proxies, certificates, their own npm_config_* and
 * PIP_*, and on Windows the system's folders. While they install they get none of it: their answers, without tokens.
 */
const TOOL_VARIABLES =
  /^(PATH|HOME|LANG|LC_\w+|TMPDIR|TEMP|TMP|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|XDG_(CONFIG|CACHE)_HOME|NPM_TOKEN|NODE_AUTH_TOKEN|npm_config_\w+|PIP_\w+|SystemRoot|ComSpec|USERPROFILE|APPDATA|LOCALAPPDATA)$/i;

export const toolEnvironment = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => TOOL_VARIABLES.test(name)));

/** The operator's registries serve every organisation; their tokens do not. */
export const organisationTools = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(toolEnvironment(environment)).filter(([name]) => !/TOKEN|_auth|password/i.test(name)),
  );

export async function openServerPackages(
  parts: PackageParts,
): Promise<Feature & { readonly packages: Packages }> {
  const { settings, database, registry, fetch, environment, onError, note, withRetry } = parts;
  const dataDir = resolve(settings.CAPSTAN_DATA_DIR);
  const packages = await openPackages({
    dataDir,
    database,
    registry,
    agents: parts.agents,
    fetch,
    onError,
    onLinkedUpdate: ({ name, version, sha256, installed_by }) =>
      parts.audit.add({
        actor: installed_by,
        action: "package.updated",
        subject: name,
        details: { version, sha256, why: "its linked folder changed" },
      }),
    now: () => new Date(),
    withRetry,
    lockPath: join(dataDir, "capstan.lock"),
    settings: boundSecrets(settings),
    mcpAccounts: mcpAccountStore({ ...parts, origin: ownOrigin(settings) }),
    secretsFor: parts.capabilitySecrets.valuesFor,
    toolEnvironment: toolEnvironment(environment),
    allowHosts: settings.CAPSTAN_ALLOW_HOSTS,
    organisation: database.organisation?.id,
    allowsUnseparated: settings.CAPSTAN_ALLOW_UNSEPARATED_PACKAGES,
  });
  packages.services.resume().then(
    (failed) => {
      for (const { name, why } of failed) onError(new Error(why), `service ${name}`);
    },
    (error) => onError(error, "services"),
  );
  const looked = packages.waiting().then(
    (waiting) => {
      for (const { path, failure } of waiting) note(waitingNote(path, failure?.message));
    },
    (error) => onError(error, "packages that wait for review"),
  );
  return {
    packages,
    routes: [packageRoutes({ ...parts, packages }), serviceRoutes({ packages }), outputRoutes({ packages })],
    async close() {
      await looked;
      await packages.close();
    },
  };
}

const waitingNote = (path: string, refused: string | undefined): string =>
  refused === undefined
    ? `${path} is waiting for review: capstan install --scan`
    : `${path} cannot be installed: ${refused}`;
