/**
 * Encrypts secrets that were stored before they were declared secret: written by an earlier version, or for a
 * capability whose new version marks the field. Done at the start and whenever a capability changes; a value that is
 * sealed stays as it is.
 */
import type { Capability, CapabilityRegistry } from "@capstan/core";
import type { Database } from "../db/database.ts";
import type { ConfigSeal } from "./config-seal.ts";

const TABLES = ["agent_capabilities", "approvals"] as const;

export interface StoredSecretParts {
  readonly database: Pick<Database, "pool">;
  readonly registry: Pick<CapabilityRegistry, "list" | "versionsOf" | "onChange">;
  readonly configSeal: Pick<ConfigSeal, "seal">;
  readonly onError: (error: unknown, what: string) => void;
}

export interface StoredSecrets {
  /** Seals what the capabilities that are known by now mark as secret; resolves when it is stored. */
  seal(): Promise<void>;
  close(): Promise<void>;
}

export function storedSecrets(parts: StoredSecretParts): StoredSecrets {
  const { registry, onError } = parts;
  let checked = new WeakSet<Capability>();
  let last = Promise.resolve();
  const everyVersion = () => registry.list().flatMap(({ id }) => registry.versionsOf(id));
  const seal = () => {
    const next = last.then(async () => {
      const fresh = everyVersion().filter((each) => !checked.has(each));
      await sealConfigsOf(parts, fresh.filter(marksSecrets));
      for (const each of fresh) checked.add(each);
    });
    last = next.catch(() => {});
    return next;
  };
  const stopListening = registry.onChange(() => {
    seal().catch((error) => onError(error, "sealing of stored secrets"));
  });
  return {
    seal,
    async close() {
      stopListening();
      checked = new WeakSet(everyVersion()); // what is queued has nothing to do
      await last;
    },
  };
}

/** Every form of the mark that `changeSecrets` knows; a false match costs one query. */
const MARK = /"(?:writeOnly|x-secret)":true|"format":"password"/;
const marksSecrets = ({ config }: Capability): boolean =>
  config !== undefined && MARK.test(JSON.stringify(config.jsonSchema));

async function sealConfigsOf(
  { database: { pool }, configSeal }: StoredSecretParts,
  capabilities: readonly Capability[],
): Promise<void> {
  if (capabilities.length === 0) return;
  const ids = capabilities.map(({ id }) => id);
  for (const table of TABLES) {
    const { rows } = await pool.query<{ id: string; capability: string; config: string }>(
      `select id, capability_id as capability, config::text as config from ${table}
       where config is not null and capability_id = any($1)`,
      [ids],
    );
    for (const { id, capability, config } of rows) {
      const before: unknown = JSON.parse(config);
      const sealed = JSON.stringify(configSeal.seal(capability, before));
      if (sealed === JSON.stringify(before)) continue;
      // A row that someone changed meanwhile was sealed by them.
      await pool.query(`update ${table} set config = $2 where id = $1 and config::text = $3`, [
        id,
        sealed,
        config,
      ]);
    }
  }
}
