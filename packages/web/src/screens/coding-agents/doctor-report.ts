/** The doctor's events as a list: one line per agent, with what was found so far. */
import type { DoctorEvent } from "@capstan/client";

export interface Finding {
  readonly agent: string;
  readonly name: string;
  readonly state: "checking" | "probing" | "done";
  readonly tone: "good" | "warn" | "bad" | "plain";
  readonly text: string;
}

export function reportOf(events: readonly DoctorEvent[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (const event of events) {
    if (event.type === "done") continue;
    const next = after(findings.get(event.agent), event);
    if (next) findings.set(event.agent, next);
  }
  return [...findings.values()];
}

function after(
  before: Finding | undefined,
  event: Exclude<DoctorEvent, { type: "done" }>,
): Finding | undefined {
  if (event.type === "checking")
    return { agent: event.agent, name: event.name, state: "checking", tone: "plain", text: "checking" };
  if (!before) return undefined;
  if (event.type === "checked") return checked(before, event);
  if (event.type === "probing") return { ...before, state: "probing", text: `${before.text}, testing` };
  return probed(before, event);
}

function checked(before: Finding, event: Extract<DoctorEvent, { type: "checked" }>): Finding {
  const { installed, version, problem, nextStep } = event;
  const said = [problem, nextStep].filter(Boolean).join(" ");
  if (!installed) return { ...before, state: "done", tone: "plain", text: said || "not installed" };
  const text = [`version ${version ?? "unknown"}`, said].filter(Boolean).join(". ");
  return { ...before, state: "done", tone: problem ? "warn" : "good", text };
}

function probed(before: Finding, { report }: Extract<DoctorEvent, { type: "probed" }>): Finding {
  const text = before.text.replace(/, testing$/, "");
  if (!report) return { ...before, state: "done", text: `${text}, cannot be tested` };
  const { differences } = report;
  if (differences.length === 0)
    return { ...before, state: "done", tone: "good", text: `${text}, matches its claims` };
  const named = differences.map(({ field, observed }) => `${field} is ${observed ? "yes" : "no"}`).join(", ");
  return { ...before, state: "done", tone: "bad", text: `${text}, differs: ${named}` };
}
