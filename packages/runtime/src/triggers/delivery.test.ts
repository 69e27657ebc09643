import { describe, expect, test } from "vitest";
import { decideDelivery } from "./delivery.ts";

const channels = {
  session: { needsTarget: false },
  webhook: { needsTarget: true },
  teams: { needsTarget: true },
};
const preferences = {
  routing: { channel: "webhook", target: "https://x.org/hook" },
  capabilities: { inbox: { routing: { channel: "teams", target: "chat:1" } } },
};

describe("the channel of an answer", () => {
  test.each([
    ["is the session without any routing", {}, undefined, { channel: "session" }],
    [
      "is the trigger's own",
      { routing: { channel: "teams", target: "chat:9" } },
      preferences,
      { channel: "teams", target: "chat:9" },
    ],
    ["is the user's for this capability", {}, preferences, { channel: "teams", target: "chat:1" }],
    [
      "is the user's default",
      {},
      { routing: preferences.routing },
      { channel: "webhook", target: "https://x.org/hook" },
    ],
  ])("%s", (_, trigger, wishes, expected) => {
    expect(decideDelivery(trigger, "inbox", wishes, channels)).toEqual({ deliver: true, ...expected });
  });

  test.each([
    [
      "unknown",
      { channel: "pigeon", target: "x" },
      /no channel "pigeon"; available: session, webhook, teams/,
    ],
    ["named like an inherited property", { channel: "constructor" }, /no channel/],
    ["without the target it requires", { channel: "webhook" }, /requires a target/],
  ])("is marked undelivered when it is %s", (_, routing, reason) => {
    expect(decideDelivery({ routing }, "inbox", undefined, channels)).toMatchObject({
      deliver: false,
      reason: expect.stringMatching(reason),
    });
  });
});
