/** Progress of copying a store, for people who wait. */
export interface CopyCounts {
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
}

/** Called after each batch with the totals so far; cheap, so that the caller decides how often to print it. */
export type StoreProgress = (state: CopyCounts & { readonly table: string }) => void;
