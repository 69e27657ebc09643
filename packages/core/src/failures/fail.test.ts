import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { FAILURES } from "./fail.ts";

test("no code is in two areas, where the second would silently replace the first", async () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith("-failures.ts"));
  const areas: Record<string, object>[] = await Promise.all(files.map((name) => import(`./${name}`)));
  const codes = areas.flatMap((area) => Object.values(area).flatMap((rows) => Object.keys(rows)));
  expect(codes.toSorted()).toEqual(Object.keys(FAILURES).toSorted());
});
