/** Whether a call is made within a time of day, in a time zone. */
import { RULE_DAYS, type RuleDay, type RuleTime } from "./rule.ts";

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_MINUTES = 24 * 60;

/** Days are those on which it begins: `fri` from 22:00 to 06:00 ends on Saturday. Throws on a time or a zone that does not exist. */
export function isWithin({
  from,
  to,
  days,
  zone = "UTC",
}: RuleTime): (call: { readonly now: Date }) => boolean {
  const [start, end] = [minuteOf(from), to === "24:00" ? DAY_MINUTES : minuteOf(to)];
  const local = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const allowed = new Set<string>(days ?? RULE_DAYS);
  return ({ now }) => {
    const { weekday = "", hour = "", minute = "" } = partsOf(local, now);
    const at = Number(hour) * 60 + Number(minute);
    const day = RULE_DAYS.indexOf(weekday.toLowerCase() as RuleDay);
    if (start <= end) return allowed.has(RULE_DAYS[day] ?? "") && at >= start && at < end;
    if (at >= end && at < start) return false;
    return allowed.has(RULE_DAYS.at(at >= start ? day : day - 1) ?? "");
  };
}

const partsOf = (format: Intl.DateTimeFormat, now: Date): Partial<Record<string, string>> =>
  Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));

function minuteOf(clock: string): number {
  const [, hour, minute] = CLOCK.exec(clock) ?? [];
  if (hour === undefined || minute === undefined)
    throw new Error(`${JSON.stringify(clock)} is no time such as 08:30`);
  return Number(hour) * 60 + Number(minute);
}
