import type { DoctorEvent } from "@capstan/client";
import { expect, test } from "vitest";
import { reportOf } from "./doctor-report.ts";

test("the doctor's events read as one line per agent", () => {
  const events: DoctorEvent[] = [
    { type: "checking", agent: "claude", name: "Claude Code" },
    { type: "checked", agent: "claude", displayName: "Claude Code", installed: true, version: "2.1.0" },
    { type: "probing", agent: "claude" },
    {
      type: "probed",
      agent: "claude",
      report: { differences: [{ field: "canFork", declared: true, observed: false }], inconclusive: [] },
    },
    { type: "checking", agent: "pi", name: "Pi" },
    {
      type: "checked",
      agent: "pi",
      displayName: "Pi",
      installed: false,
      problem: "No pi.",
      nextStep: "Install it.",
    },
    { type: "checking", agent: "codex", name: "Codex CLI" },
  ];
  expect(reportOf(events)).toEqual([
    {
      agent: "claude",
      name: "Claude Code",
      state: "done",
      tone: "bad",
      text: "version 2.1.0, differs: canFork is no",
    },
    { agent: "pi", name: "Pi", state: "done", tone: "plain", text: "No pi. Install it." },
    { agent: "codex", name: "Codex CLI", state: "checking", tone: "plain", text: "checking" },
  ]);
});
