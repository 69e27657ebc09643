/**
 * current_time: the date and time in any IANA zone. Zones are validated by the JavaScript engine instead of a list, because
 * `Intl.supportedValuesOf` lacks a third of the names people write, such as US/Eastern.
 */
import { defineCapability, defineTool, fail, ok } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";

const getCurrentTime = defineTool({
  name: "get_current_time",
  risk: "read",
  description: "Get the current date and time in a time zone.",
  input: z.object({
    timezone: z
      .string()
      .min(1)
      .max(100)
      .default("UTC")
      .describe('IANA time zone, for example "UTC" or "America/New_York".'),
    format: z
      .enum(["iso8601", "unix", "human"])
      .default("iso8601")
      .describe("iso8601: with the zone's offset; unix: seconds since 1970; human: words."),
  }),
  output: z.object({
    timestamp: z.union([z.string(), z.int()]),
    timezone: z.string(),
    format: z.enum(["iso8601", "unix", "human"]),
  }),
  idempotent: true,
  run({ timezone, format }, { now }) {
    const zone = knownZone(timezone);
    if (zone === undefined) return fail("timezone_unknown", { timezone, nearest: similarZones(timezone) });
    return ok({ timestamp: FORMATS[format](now(), zone), timezone: zone, format });
  },
});

export const currentTime = defineCapability({
  id: CAPABILITY_IDS.CURRENT_TIME,
  name: "Current Time",
  description: "Tool to get current date and time in various formats and timezones.",
  icon: "clock",
  category: "Utilities",
  tools: [getCurrentTime],
  routing: {
    triggers: [
      "what time is it",
      "current time",
      "current date",
      "today's date",
      "what day is it today",
      "time in Tokyo",
      "unix timestamp now",
      "local time in another time zone",
    ],
    tags: ["time", "date", "clock", "timezone", "timestamp", "today", "now"],
    domain: "utilities",
    actions: ["get", "tell", "show"],
  },
});

const FORMATS: Record<"iso8601" | "unix" | "human", (date: Date, zone: string) => string | number> = {
  iso8601: isoInZone,
  unix: (date) => Math.floor(date.getTime() / 1000),
  human: (date, timeZone) =>
    new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeStyle: "long", timeZone }).format(date),
};

/** The zone in the engine's own spelling, or undefined. */
function knownZone(timezone: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: timezone.trim() }).resolvedOptions();
    return timeZone;
  } catch {
    return undefined;
  }
}

function isoInZone(date: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  }).formatToParts(date);
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? "";
  const offset = part("timeZoneName").slice("GMT".length) || "+00:00";
  const day = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  return `${day}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}

/** People write a city without its continent and with spaces, so each zone and its last part are compared. */
function similarZones(timezone: string): string[] {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const byName = new Map(
    zones.flatMap((zone) => [[zone, zone] as const, [zone.split("/").at(-1) ?? zone, zone] as const]),
  );
  const typed = timezone.trim().replaceAll(" ", "_");
  const names = [
    ...nearest(typed, byName.keys(), 6),
    ...nearest(typed.split("/").at(-1) ?? "", byName.keys(), 6),
  ];
  return [...new Set(names.flatMap((name) => byName.get(name) ?? []))].slice(0, 3);
}
