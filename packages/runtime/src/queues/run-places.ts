/**
 * The slots in which a process runs segments: a bounded number for all organisations, with a queue that is fair
 * between organisations and between their users, by weight. Every process has its own queue, which also counts slots
 * on other processes.
 */
import type { Database } from "../db/database.ts";
import { FIRST_ORGANISATION } from "../organisations/organisation-schema.ts";
import { FairLine, type Turn } from "./fair-line.ts";
import { SharedShares } from "./shared-shares.ts";
import { openUserWeights, type WeightOf } from "./user-weights.ts";

const MOST_SEGMENTS = 500; // further runs wait: a thousand at once starve each other

/** The slots as one organisation sees them. */
export interface OwnPlaces {
  enter(user: string, signal: AbortSignal): Promise<Turn>;
  leave(user: string): void;
  readonly weightOf: WeightOf;
  /** Exchanged with other processes, for all organisations, by the first one. */
  readonly shared?: SharedShares;
}

export class RunPlaces {
  readonly #line: FairLine;
  readonly #shared: SharedShares;
  readonly #users = new Map<string, WeightOf>();
  readonly #organisations = new Map<string, number>();

  constructor(places: number = MOST_SEGMENTS, now?: () => number) {
    this.#line = new FairLine({
      places,
      ...(now && { now }),
      length: Number.POSITIVE_INFINITY,
      weightOf: ({ group, name }) => this.#users.get(group)?.(name) ?? 1,
      weightOfGroup: (group) => this.#organisations.get(group) ?? 1,
    });
    this.#shared = new SharedShares(this.#line);
  }

  /** Weights of organisations; default 1. */
  setWeights(weights: Iterable<readonly [id: string, weight: number]>): void {
    this.#organisations.clear();
    for (const [id, weight] of weights) this.#organisations.set(id, weight);
  }

  /** For an organisation whose admins set weights for its users. */
  async open(
    organisation: string,
    database: Pick<Database, "pool" | "policyChanges">,
    onError: (error: unknown, what: string) => void,
  ): Promise<OwnPlaces> {
    return this.of(organisation, await openUserWeights(database, onError));
  }

  of(organisation: string, weightOf: WeightOf): OwnPlaces {
    this.#users.set(organisation, weightOf);
    const owner = (user: string) => ({ group: organisation, name: user });
    return {
      ...(organisation === FIRST_ORGANISATION && { shared: this.#shared }),
      weightOf,
      enter: (user, signal) => this.#line.enter(owner(user), signal),
      leave: (user) => this.#line.leave(owner(user)),
    };
  }
}
