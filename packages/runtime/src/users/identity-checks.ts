/**
 * Rechecks a person with the OpenID provider when their rights are needed and the last answer is older than the
 * interval. For companies whose directory pushes nothing: groups change, and people leave, between two sign-ins.
 */
import { and, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../db/database.ts";
import { identities } from "../db/schema/people-tables.ts";
import type { Person } from "./people-store.ts";
import type { SecretBox } from "./secret-box.ts";

const ProviderTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since 1970. */
  expiresAt: z.number().optional(),
  /** Claims that only the ID token had: an answer without one does not contain them. */
  onlyInIdToken: z.array(z.string()),
  /** Consent that outlives sessions at the provider: when it ends, the person left. */
  isOffline: z.boolean(),
});
export type ProviderTokens = z.infer<typeof ProviderTokens>;

/** "unreachable" changes nothing; "cannot ask": the tokens have expired, which is not an error. */
export type ProviderWord =
  | { readonly person: Person; readonly tokens: ProviderTokens }
  | "ended"
  | "unreachable"
  | "cannot ask";

export interface IdentityCheckParts {
  readonly database: Pick<Database, "orm" | "policyChanges">;
  readonly box: SecretBox;
  /** 0: never. */
  readonly everySeconds: number;
  readonly ask: (known: Person, tokens: ProviderTokens) => Promise<ProviderWord>;
  /** The provider no longer vouches for them. */
  readonly onEnded: (email: string) => Promise<void>;
}

export interface IdentityChecks {
  keep(person: Pick<Person, "issuer" | "subject">, tokens: ProviderTokens): Promise<void>;
  /** Returns once the facts about them are recent enough. */
  freshen(email: string): Promise<void>;
  /** The next `freshen` checks again, as another process would. */
  forget(email: string): void;
}

/** The types of this file under one name, for who opens it. */
export interface Identities {
  readonly checks: IdentityChecks;
  readonly tokens: ProviderTokens;
  readonly word: ProviderWord;
}

const CLAIM_SECONDS = 15; // longer than the provider may take; also the pause after it did not answer
const MOST_REMEMBERED = 10_000;

export function identityChecks(parts: IdentityCheckParts): IdentityChecks {
  const { orm } = parts.database;
  const lookAgainAt = new Map<string, number>();
  return {
    async keep({ issuer, subject }, tokens) {
      if (parts.everySeconds === 0) return;
      await orm
        .update(identities)
        .set({
          sealedTokens: sealed(parts.box, subject, tokens),
          checkedAt: sql`now()`,
          checkClaimedAt: null,
        })
        .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
    },
    forget: (email) => void lookAgainAt.delete(email),
    async freshen(email) {
      if (parts.everySeconds === 0) return;
      const now = performance.now();
      if ((lookAgainAt.get(email) ?? 0) > now) return;
      const [row] = await orm
        .select({ age: sql<number>`extract(epoch from now() - ${identities.checkedAt})::float8` })
        .from(identities)
        .where(and(eq(identities.userEmail, email), isNotNull(identities.sealedTokens)));
      const leftSeconds = parts.everySeconds - (row?.age ?? 0);
      if (row !== undefined && leftSeconds <= 0) await check(parts, email);
      if (lookAgainAt.size > MOST_REMEMBERED) lookAgainAt.clear();
      lookAgainAt.set(email, now + Math.max(leftSeconds, 1) * 1000);
    },
  };
}

/** One process asks; the others continue with what is known. */
async function check({ database, box, everySeconds, ask, onEnded }: IdentityCheckParts, email: string) {
  const { orm, policyChanges } = database;
  const { userEmail, checkedAt, checkClaimedAt } = identities;
  const olderThan = (seconds: number) => sql`now() - ${seconds} * interval '1 second'`;
  const [row] = await orm
    .update(identities)
    .set({ checkClaimedAt: sql`now()` })
    .where(
      and(
        eq(userEmail, email),
        isNotNull(identities.sealedTokens),
        lt(checkedAt, olderThan(everySeconds)),
        or(isNull(checkClaimedAt), lt(checkClaimedAt, olderThan(CLAIM_SECONDS))),
      ),
    )
    .returning();
  if (row === undefined) return;
  const { issuer, subject, name, claims } = row;
  const tokens = opened(box, row);
  const word =
    tokens === undefined ? "cannot ask" : await ask({ issuer, subject, email, name, claims }, tokens);
  if (word === "unreachable") return;
  const set = typeof word === "string" ? { sealedTokens: null } : answered(box, word);
  const hasLeft = word === "ended" && tokens?.isOffline === true;
  await orm
    .update(identities)
    .set({ ...set, checkedAt: sql`now()`, checkClaimedAt: null, ...(hasLeft && { endedAt: sql`now()` }) })
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  if (word === "ended") await onEnded(email);
  await policyChanges.announce();
}

const answered = (box: SecretBox, { person, tokens }: Exclude<ProviderWord, string>) => ({
  name: person.name,
  claims: Object.fromEntries(Object.entries(person.claims).map(([name, values]) => [name, [...values]])),
  sealedTokens: sealed(box, person.subject, tokens),
});

/** Sealed with their owner: a copied row cannot be unsealed. */
const sealed = (box: SecretBox, subject: string, tokens: ProviderTokens): string =>
  box.seal(JSON.stringify({ subject, tokens }));

function opened(
  box: SecretBox,
  { subject, sealedTokens }: Pick<typeof identities.$inferSelect, "subject" | "sealedTokens">,
): ProviderTokens | undefined {
  const text = sealedTokens === null ? undefined : box.open(sealedTokens);
  if (text === undefined) return undefined;
  const read = z.object({ subject: z.string(), tokens: ProviderTokens }).safeParse(JSON.parse(text));
  return read.success && read.data.subject === subject ? read.data.tokens : undefined;
}
