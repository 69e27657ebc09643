import { describe, expect, test } from "vitest";
import type { ApprovalExpiry } from "./agent.ts";
import { cappedExpiry, expiryOf } from "./approval-expiry.ts";

const NOON = new Date("2026-05-04T12:00:00Z");
const EXPIRE: ApprovalExpiry = { policy: "expire", afterSeconds: 90 };
const ESCALATE: ApprovalExpiry = { policy: "escalate", afterSeconds: 30, to: "boss@example.com" };

describe("the expiry of an approval", () => {
  test.each<[ApprovalExpiry, string | undefined]>([
    [{ policy: "wait" }, undefined],
    [EXPIRE, "2026-05-04T12:01:30.000Z"],
    [ESCALATE, "2026-05-04T12:00:30.000Z"],
  ])("of %j, asked at noon, is %s", (policy, expected) => {
    expect(expiryOf(policy, NOON)?.toISOString()).toBe(expected);
  });

  test.each<[ApprovalExpiry, ApprovalExpiry]>([
    [{ policy: "wait" }, { policy: "expire", afterSeconds: 60 }],
    [EXPIRE, { policy: "expire", afterSeconds: 60 }],
    [ESCALATE, ESCALATE],
  ])("%j capped at a minute is %j", (policy, expected) => {
    expect(cappedExpiry(policy, 60)).toEqual(expected);
  });
});
