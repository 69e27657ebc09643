/** The labelled sets: capabilities and tasks, read from `ROUTING_DATA` (default ../shared/routing beside the repository). */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RouteDocument } from "@capstan/core/internal";

export const SET_NAMES = ["metatool", "clinc150", "banking77", "bfcl", "sealtools", "livemcp"] as const;
export type SetName = (typeof SET_NAMES)[number];
/** Those with a train split; the others are never trained on. */
export const TRAIN_SETS: readonly SetName[] = ["metatool", "clinc150", "banking77"];

export interface Labelled {
  readonly task: string;
  /** Empty: nothing fits. */
  readonly expected: readonly string[];
}

export interface RoutingSet {
  readonly name: SetName;
  readonly capabilities: readonly RouteDocument[];
  readonly dev: readonly Labelled[];
  readonly train: readonly Labelled[];
}

export const dataFolder = (): string =>
  resolve(process.env.ROUTING_DATA ?? join(import.meta.dirname, "../../../shared/routing"));

export function readSet(name: SetName): RoutingSet {
  const folder = join(dataFolder(), name);
  const capabilities = JSON.parse(readFileSync(join(folder, "capabilities.json"), "utf8")) as RouteDocument[];
  return {
    name,
    capabilities: capabilities.map(({ id, name: label, description, tags, triggers, params }) => ({
      id,
      name: label,
      description,
      ...(tags && { tags }),
      ...(triggers && { triggers }),
      ...(params && { params }),
    })),
    dev: readLines(join(folder, "dev.jsonl")),
    train: readLines(join(folder, "train.jsonl")),
  };
}

function readLines(path: string): Labelled[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Labelled);
}

/** Which half of its set the task at this place is in, for the cross-validation. */
export const halfOf = (at: number): number => (at >> 1) % 2;

/** A seeded generator, so that every run is the same. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
