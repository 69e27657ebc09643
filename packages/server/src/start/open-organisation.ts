/** Opens an organisation after the first: another instance of every feature, with its own store, folder and secrets. */
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { ok, type Result } from "@capstan/core";
import { dataFolderSecret, dropOrganisation, openOrganisationDatabase } from "@capstan/runtime";
import type { AuthParts } from "../auth/authenticate.ts";
import type { Handler, OpenOrganisation } from "../organisations/organisation-host.ts";
import { organisationSettings } from "../organisations/organisation-settings.ts";
import { organisationTools } from "../packages/open-packages.ts";
import type { Log } from "../settings/log.ts";
import { createApp } from "./app.ts";
import { type FeatureExtras, type OpenFeatures, openFeatures } from "./open-features.ts";
import { startRetention } from "./retention.ts";

export interface OrganisationOpening {
  readonly first: OpenFeatures;
  readonly callers: Pick<AuthParts, "localCallers" | "ownerToken">;
  readonly log: Log;
  readonly extras: FeatureExtras;
}

export async function openOrganisation(
  id: string,
  { first, callers, log, extras }: OrganisationOpening,
): Promise<Result<OpenOrganisation>> {
  const settings = settingsOf(first, id);
  await closeToOthers(settings.CAPSTAN_DATA_DIR);
  const database = await openOrganisationDatabase(first.database, id);
  if (!database.ok) return database;
  const opened = await openFeatures(settings, log, {
    ...extras,
    environment: {}, // what is found on the machine is the operator's
    organisation: {
      database: database.value,
      registrationKey: first.registrationKey,
      identityChecks: first.identityChecks,
      programs: { codingAgents: first.codingAgents, environment: extras.environment ?? {} },
      toolEnvironment: organisationTools(extras.environment ?? {}),
    },
  });
  if (!opened.ok) {
    await database.value.close();
    return opened;
  }
  const services = opened.value;
  const retention = startRetention(services);
  return ok({
    ...services,
    fetch: createApp({ ...services, ...callers }).fetch as Handler,
    async close() {
      retention?.stop();
      await services.close();
    },
  });
}

/** Its programs run as other users of the system, and must not find what another organisation left open. */
async function closeToOthers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode } = await stat(folder);
  if ((mode & 0o066) !== 0) await chmod(folder, 0o700);
}

export async function eraseOrganisation(id: string, first: OpenFeatures): Promise<void> {
  await dropOrganisation(first.database, id);
  await rm(settingsOf(first, id).CAPSTAN_DATA_DIR, { recursive: true, force: true });
}

const settingsOf = ({ settings }: OpenFeatures, id: string) =>
  organisationSettings(settings, settings.CAPSTAN_SECRET ?? dataFolderSecret(settings.CAPSTAN_DATA_DIR), id);
