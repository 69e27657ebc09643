/** How documents, manifests and files declare what a tool reads and writes: one word or a list of them. */
import { z } from "zod";
import { DATA_READS, DATA_WRITES, type DeclaredReads, type DeclaredWrites } from "./data-flow.ts";

const oneOrMany = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.union([z.enum(values), z.array(z.enum(values)).max(values.length)]).optional();

export const FLOW_FIELDS = {
  reads: oneOrMany(DATA_READS).describe(
    "What the result brings in: untrusted (text of others), private (only this user may see it) or public.",
  ),
  writes: oneOrMany(DATA_WRITES).describe(
    "Where effects go: external (leaves this installation), internal, irreversible; an empty list for none.",
  ),
};

export interface FlowFields {
  readonly reads?: DeclaredReads | undefined;
  readonly writes?: DeclaredWrites | undefined;
}

/** Only what is declared, so that a default stays a default. */
export const declaredFlow = ({ reads, writes }: FlowFields) => ({
  ...(reads !== undefined && { reads }),
  ...(writes !== undefined && { writes }),
});

const Declared = z.object(FLOW_FIELDS);

/** From an untrusted document: invalid values count as not declared, so the stricter default applies. */
export function flowIn(reads: unknown, writes: unknown): FlowFields {
  return {
    reads: Declared.shape.reads.safeParse(reads).data,
    writes: Declared.shape.writes.safeParse(writes).data,
  };
}
