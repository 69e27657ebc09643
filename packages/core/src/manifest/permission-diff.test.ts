import { describe, expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { permissionDiff } from "./permission-diff.ts";

const before: Manifest = {
  name: "inbox",
  type: "cli",
  command: "aech-cli-inbox",
  description: "Drafts",
  required_scopes: ["Mail.Read"],
  actions: [
    { name: "list", description: "Lists", parameters: [] },
    {
      name: "send",
      description: "Sends",
      parameters: [],
      required_scopes: ["Mail.Send"],
      requires_approval: true,
    },
  ],
};
const [list, send] = before.actions as [Manifest["actions"][number], Manifest["actions"][number]];

describe("permissionDiff", () => {
  test("finds nothing when only texts change", () => {
    const diff = permissionDiff(before, {
      ...before,
      description: "Mail drafts",
      actions: [{ ...list, parameters: ["--all"] }, send],
    });
    expect(diff).toMatchObject({ grows: false, actionsChanged: [], actionsAdded: [] });
  });

  test.each([
    ["a new action", { actions: [list, send, { ...list, name: "purge" }] }, { actionsAdded: ["purge"] }],
    [
      "an account",
      { connections: [{ provider: "google", scopes: ["mail"] }] },
      { connectionsAdded: [{ provider: "google", scopes: ["mail"] }] },
    ],
    [
      "an account with the scopes of its actions",
      { connections: [{ provider: "microsoft" }] },
      { connectionsAdded: [{ provider: "microsoft", scopes: ["Mail.Read", "Mail.Send"] }] },
    ],
    [
      "an account without scopes",
      { connections: [{ provider: "notion", scopes: [] }] },
      { connectionsAdded: [{ provider: "notion", scopes: [] }] },
    ],
    ["a new scope", { required_scopes: ["Mail.Read", "Files.Read"] }, { scopesAdded: ["Files.Read"] }],
    ["a scope no longer asked for", { required_scopes: [] }, { scopesRemoved: ["Mail.Read"] }],
    [
      "an action that runs without its scope",
      { actions: [list, { ...send, required_scopes: [] }] },
      {
        actionsChanged: [
          {
            action: "send",
            scopesAdded: [],
            scopesRemoved: ["Mail.Send"],
            approvalDropped: false,
            riskLowered: false,
          },
        ],
      },
    ],
    [
      "an approval dropped",
      { actions: [list, { ...send, requires_approval: false }] },
      { actionsChanged: [{ approvalDropped: true }] },
    ],
    [
      "a risk said to be lower",
      { actions: [list, { ...send, risk: "read" as const }] },
      { actionsChanged: [{ riskLowered: true }] },
    ],
    [
      "another command",
      { command: "aech-cli-other" },
      { commandChanged: { from: "aech-cli-inbox", to: "aech-cli-other" } },
    ],
    ["a service", { service: { container: "aech-rt-inbox" } }, { serviceChanged: true }],
    ["a skill", { bundled_skills: [{ name: "triage" }] }, { skillsAdded: ["triage"] }],
  ])("calls %s growth", (_, change, expected) => {
    expect(permissionDiff(before, { ...before, ...change })).toMatchObject({ grows: true, ...expected });
  });

  test("does not count a removed action as growth", () => {
    expect(permissionDiff(before, { ...before, actions: [list] })).toMatchObject({
      grows: false,
      actionsRemoved: ["send"],
    });
  });
});
