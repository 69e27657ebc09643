/** Capabilities written as documents in the data folder, with the server secrets that they refer to. */
import { join } from "node:path";
import type { CapabilityRegistry } from "@capstan/core";
import {
  type AgentStore,
  type CapabilityDocuments,
  type Database,
  openCapabilityDocuments,
} from "@capstan/runtime";
import { boundSecrets, type Settings } from "../settings/settings.ts";
import { type CapabilityRouteParts, capabilityRoutes } from "./capability-routes.ts";
import { type TestRouteParts, testRoutes } from "./test-routes.ts";
import { versionRoutes } from "./version-routes.ts";

export interface DocumentParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly registry: CapabilityRegistry;
  readonly agents: AgentStore;
  readonly onError: (error: unknown) => void;
}

export const openDocuments = (parts: DocumentParts): Promise<CapabilityDocuments> => {
  const { settings, database, registry, agents, onError } = parts;
  return openCapabilityDocuments({
    database,
    registry,
    agents,
    onError,
    folder: join(settings.CAPSTAN_DATA_DIR, "capabilities"),
    secret: boundSecrets(settings),
  });
};

export const documentNotes = (documents: CapabilityDocuments): string[] =>
  documents.faults().map(({ file, why }) => `${file} is not used: ${why}`);

export const documentRoutes = (parts: CapabilityRouteParts & TestRouteParts) => [
  capabilityRoutes(parts),
  versionRoutes(parts),
  testRoutes(parts),
];
