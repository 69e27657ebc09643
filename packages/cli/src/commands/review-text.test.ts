import type { PackageReview } from "@capstan/client";
import type { Manifest } from "@capstan/core";
import { permissionDiff } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { reviewText } from "./review-text.ts";

const review: PackageReview = {
  name: "aech-cli-inbox",
  version: "0.2.0",
  role: "cli",
  kind: "wheel",
  origin: "aech_cli_inbox-0.2.0-py3-none-any.whl",
  sha256: "ab".repeat(32),
  size_bytes: 2048,
  unpacked_bytes: 4096,
  files: 5,
  capability: "inbox",
  tools: [{ name: "inbox_send", description: "Sends", scopes: ["Mail.Send"] }],
  scopes: ["Mail.Send"],
  commands: ["aech-cli-inbox"],
  dependencies: ["click>=8"],
  install_scripts: [],
  skills: [],
  resolved_dependencies: [],
  not_isolated: ["It may use the network.", "It runs as the server."],
  must_run_code: false,
};
const manifest: Manifest = {
  name: "inbox",
  type: "cli",
  command: "aech-cli-inbox",
  description: "Mail",
  actions: [{ name: "list", description: "Lists", parameters: [], requires_approval: true }],
};

describe("a review on the terminal", () => {
  test("shows what it is, adds and may do, its source and its hash", () => {
    expect(reviewText(review).split("\n")).toEqual([
      "aech-cli-inbox 0.2.0 (wheel), 2048 bytes, 4096 unpacked in 5 files",
      "  from aech_cli_inbox-0.2.0-py3-none-any.whl",
      `  sha256 ${"ab".repeat(32)}`,
      "  adds: inbox_send (Mail.Send)",
      "  scopes: Mail.Send",
      "  commands: aech-cli-inbox",
      "  depends on: click>=8",
      "  not isolated here: It may use the network.",
      "  not isolated here: It runs as the server.",
      "",
    ]);
  });

  test("names what hides behind an alias or inside another dependency", () => {
    const evil = { name: "evil", version: "1.0.0", hash: "sha512-a", installed_as: "left" };
    const inner = { name: "inner", version: "2.0.0", hash: "sha512-a", inside: "evil 1.0.0" };
    const text = reviewText({ ...review, resolved_dependencies: [evil, inner] });
    expect(text).toContain("    evil 1.0.0 (installed as left) sha512-a\n");
    expect(text).toContain("    inner 2.0.0 (inside evil 1.0.0) sha512-a\n");
  });

  test.each<[string, Partial<Manifest>, string]>([
    ["a new scope", { required_scopes: ["Mail.Read"] }, "    + scope Mail.Read"],
    [
      "a new action",
      { actions: [...manifest.actions, { name: "purge", description: "", parameters: [] }] },
      "    + action purge",
    ],
    [
      "an approval dropped",
      { actions: [{ name: "list", description: "Lists", parameters: [] }] },
      "    ~ action list: no longer requires approval",
    ],
    ["another command", { command: "aech-cli-mail" }, "    ~ command aech-cli-inbox -> aech-cli-mail"],
    ["a service", { service: { container: "aech-rt-inbox" } }, "    ~ its service"],
    [
      "an account",
      { connections: [{ provider: "microsoft", scopes: ["Mail.Read"] }] },
      "    + account at microsoft (Mail.Read)",
    ],
    ["a skill", { bundled_skills: [{ name: "triage" }] }, "    + skill triage"],
  ])("reports %s of an update as growth", (_, change, line) => {
    const permissions = permissionDiff(manifest, { ...manifest, ...change });
    const update = { from_version: "0.1.0", same_content: false, permissions };
    expect(reviewText({ ...review, update })).toContain(`  replaces version 0.1.0\n  NEW RIGHTS:\n${line}\n`);
  });

  test("reports that permissions do not grow when only texts change", () => {
    const permissions = permissionDiff(manifest, { ...manifest, description: "Post" });
    const update = { from_version: "0.1.0", same_content: false, permissions };
    expect(reviewText({ ...review, update })).toContain("  Permissions do not grow.\n");
  });

  test("says when it must run to describe itself", () => {
    expect(reviewText({ ...review, must_run_code: true })).toContain("must run code to describe itself");
  });
});
