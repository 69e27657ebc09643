/** A thousand of each; `fuzz.slow.test.ts` does a hundred thousand. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fuzzManifests, fuzzTranscripts, fuzzTriggers } from "../../../../tools/fuzz/fuzz-readers.ts";
import { fuzzAgUi, fuzzRoutes, type KnownIds, knownIds } from "../../../../tools/fuzz/fuzz-server.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const CASES = 1000;

describe("random requests", () => {
  let server: TestServer;
  let ids: KnownIds;
  beforeAll(async () => {
    server = await testServer(await freshPglite(), { CAPSTAN_RATE_LIMIT_PER_MINUTE: "100000000" });
    ids = await knownIds(server);
  });
  afterAll(() => server.stop());

  test(`${CASES} of them to every route never give a 500, and every error has the same shape`, async () => {
    expect(await fuzzRoutes(server, ids, CASES)).toBeGreaterThan(60);
  }, 240_000);

  test(`${CASES} almost valid AG-UI inputs start a run that ends, or are refused`, async () => {
    await fuzzAgUi(server, ids, CASES);
  }, 240_000);
});

describe("almost valid files and output of others", () => {
  test.each([
    ["manifests", fuzzManifests],
    ["triggers", fuzzTriggers],
    ["transcripts of coding agents", fuzzTranscripts],
  ])(
    `${CASES} %s are parsed or refused, and nothing throws`,
    (_what, fuzz) => {
      fuzz(CASES);
    },
    240_000,
  );
});
