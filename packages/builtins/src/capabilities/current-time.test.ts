import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currentTime } from "./current-time.ts";
import { tryTool } from "./fixtures/try-tool.ts";

const ZONES = readFileSync(new URL("./fixtures/iana-zones.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

describe("get_current_time", () => {
  test("without arguments returns UTC in ISO 8601", async () => {
    expect(await tell({})).toEqual({
      timestamp: "2026-03-01T12:34:56+00:00",
      timezone: "UTC",
      format: "iso8601",
    });
  });

  test.each([
    [{ timezone: "America/New_York" }, "2026-03-01T07:34:56-05:00"],
    [{ timezone: "Asia/Kolkata" }, "2026-03-01T18:04:56+05:30"],
    [{ timezone: "Pacific/Kiritimati" }, "2026-03-02T02:34:56+14:00"],
    [{ timezone: "america/new_york" }, "2026-03-01T07:34:56-05:00"],
    [{ timezone: "US/Eastern" }, "2026-03-01T07:34:56-05:00"],
    [{ format: "unix", timezone: "Asia/Tokyo" }, 1772368496],
    [{ format: "human" }, "Sunday, March 1, 2026 at 12:34:56 PM UTC"],
    [{ format: "human", timezone: "America/New_York" }, "Sunday, March 1, 2026 at 7:34:56 AM EST"],
  ])("%j tells %s", async (input, timestamp) => {
    const value = await tell(input);
    expect({ ...value, timestamp: plainSpaces(value.timestamp) }).toMatchObject({ timestamp });
  });

  test(`knows all ${ZONES.length} names of the IANA database`, async () => {
    for (const timezone of ZONES)
      expect(await tell({ timezone })).toMatchObject({ timestamp: expect.any(String) });
  });

  test("in every zone and at every time the ISO form denotes the same instant", async () => {
    const instant = fc.date({
      min: new Date("1975-01-01"),
      max: new Date("2037-12-31"),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ZONES), instant, async (timezone, date) => {
        const { timestamp } = await tell({ timezone }, date);
        expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(Date.parse(String(timestamp))).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["Europe/Berln", "Europe/Berlin"],
    ["New York", "America/New_York"],
    ["Tokio", "Asia/Tokyo"],
    ["london", "Europe/London"],
    ["Amerika/Chicago", "America/Chicago"],
  ])("suggests the nearest names for %s", async (timezone, near) => {
    const { failure } = await tryTool(currentTime, "get_current_time", { timezone });
    expect(failure).toMatchObject({
      code: "timezone_unknown",
      message: `Unknown time zone "${timezone}".`,
      nextStep: expect.stringContaining(near),
    });
  });

  test("explains the format when no name is near", async () => {
    const { failure } = await tryTool(currentTime, "get_current_time", { timezone: "xqzjwv#!" });
    expect(failure?.nextStep).toContain("America/New_York");
  });
});

async function tell(input: object, at = new Date("2026-03-01T12:34:56.789Z")) {
  const { value, failure } = await tryTool(currentTime, "get_current_time", input, { now: () => at });
  if (failure) throw new Error(failure.message);
  return value as { timestamp: string | number };
}

/** Newer engines put a narrow no-break space before AM and PM. */
const plainSpaces = (text: string | number) =>
  typeof text === "string" ? text.replace(/\u202f/g, " ") : text;
