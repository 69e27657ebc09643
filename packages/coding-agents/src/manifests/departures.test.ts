import type { CodingAgentCapabilities } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { SEED_PROFILES } from "../fixtures/seed-profiles.ts";

describe.each(Object.entries(SEED_PROFILES))("%s", (name, seed) => {
  const { capabilities, departures } = MANIFESTS[name as BuiltInAgentName];
  const differing = Object.keys(seed).filter((field) => {
    const key = field as keyof CodingAgentCapabilities;
    return JSON.stringify(seed[key]) !== JSON.stringify(capabilities[key]);
  });

  test("every difference from the seed is written down with what the binary does", () => {
    const written = departures.flatMap(({ field }) => field.split(", "));
    expect(written).toEqual(expect.arrayContaining(differing));
  });

  test("no departure is written down twice, and each says both sides", () => {
    expect(new Set(departures.map(({ field }) => field)).size).toBe(departures.length);
    for (const { seed, binary } of departures) {
      expect(seed).not.toBe("");
      expect(binary).not.toBe("");
      expect(binary).not.toBe(seed);
    }
  });
});
