/** Model providers configured by an operator: the key is write-only and encrypted, the base URL is readable. */
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { providerKeys } from "../db/schema/user-tables.ts";
import type { SecretBox } from "./secret-box.ts";

export interface ProviderRecord {
  readonly provider: string;
  readonly hasKey: boolean;
  readonly baseUrl?: string;
}

export interface ProviderStore {
  /** A key that is null is forgotten. */
  put(
    provider: string,
    input: { apiKey?: string | null | undefined; baseUrl?: string | undefined },
  ): Promise<void>;
  remove(provider: string): Promise<boolean>;
  list(): Promise<ProviderRecord[]>;
  /** For the model layer only; never leaves the process. */
  credentials(provider: string): Promise<{ apiKey?: string; baseUrl?: string } | undefined>;
}

export function providerStore({ orm }: Pick<Database, "orm">, box: SecretBox): ProviderStore {
  return {
    async put(provider, { apiKey, baseUrl }) {
      const set = {
        ...(apiKey !== undefined && { secret: apiKey === null ? null : box.seal(apiKey) }),
        ...(baseUrl !== undefined && { baseUrl }),
      };
      await orm
        .insert(providerKeys)
        .values({ provider, ...set })
        .onConflictDoUpdate({ target: providerKeys.provider, set: { ...set, updatedAt: sql`now()` } });
    },
    async remove(provider) {
      const rows = await orm
        .delete(providerKeys)
        .where(eq(providerKeys.provider, provider))
        .returning({ provider: providerKeys.provider });
      return rows.length > 0;
    },
    async list() {
      const rows = await orm.select().from(providerKeys).orderBy(providerKeys.provider);
      return rows.map(({ provider, secret, baseUrl }) => ({
        provider,
        hasKey: secret !== null,
        ...(baseUrl !== null && { baseUrl }),
      }));
    },
    async credentials(provider) {
      const [row] = await orm.select().from(providerKeys).where(eq(providerKeys.provider, provider));
      if (!row) return undefined;
      const apiKey = row.secret === null ? undefined : box.open(row.secret);
      return {
        ...(apiKey !== undefined && { apiKey }),
        ...(row.baseUrl !== null && { baseUrl: row.baseUrl }),
      };
    },
  };
}
