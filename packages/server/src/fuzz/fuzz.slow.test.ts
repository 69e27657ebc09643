/** A hundred thousand cases of each kind, watching memory. */
import v8 from "node:v8";
import vm from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  fuzzManifests,
  fuzzTranscripts,
  fuzzTriggers,
  keptBytes,
} from "../../../../tools/fuzz/fuzz-readers.ts";
import { fuzzAgUi, fuzzRoutes, type KnownIds, knownIds } from "../../../../tools/fuzz/fuzz-server.ts";
import { writeReliability } from "../../../../tools/reliability-results.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const CASES = 100_000;
const MOST_GROWTH_BYTES = 12 * 1024 * 1024; // caches fill in the first half; a leaked listener per case was 18 MB

let server: TestServer;
let ids: KnownIds;
beforeAll(async () => {
  v8.setFlagsFromString("--expose-gc");
  (globalThis as { gc?: () => void }).gc = vm.runInNewContext("gc");
  server = await testServer(await freshPglite(), { CAPSTAN_RATE_LIMIT_PER_MINUTE: "1000000000" });
  ids = await knownIds(server);
});
afterAll(() => server.stop());

test.each<[string, (cases: number) => unknown]>([
  ["manifests", fuzzManifests],
  ["triggers", fuzzTriggers],
  ["transcripts of coding agents", fuzzTranscripts],
  ["AG-UI inputs", (cases) => fuzzAgUi(server, ids, cases)],
  ["requests to every route", (cases) => fuzzRoutes(server, ids, cases)],
])(`${CASES} %s`, async (what, fuzz) => {
  const started = performance.now();
  await fuzz(CASES / 2);
  const half = keptBytes();
  await fuzz(CASES / 2);
  const grownBytes = keptBytes() - half;
  const seconds = Math.round((performance.now() - started) / 1000);
  writeReliability(`fuzz-${what.toLowerCase().replaceAll(" ", "-")}`, {
    what,
    cases: CASES,
    seconds,
    grownBytes,
  });
  expect(grownBytes).toBeLessThan(MOST_GROWTH_BYTES);
});
