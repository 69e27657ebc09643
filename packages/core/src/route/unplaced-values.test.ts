import { describe, expect, test } from "vitest";
import { mapPayload } from "./payload.ts";

const merge = {
  type: "object",
  properties: {
    files: { type: "array", items: { type: "string" }, description: "The PDF files, in order." },
    output: { type: "string", description: "Path of the joined file." },
  },
  required: ["files", "output"],
};
const event = {
  type: "object",
  properties: { title: { type: "string", description: "Title of the event." } },
  required: ["title"],
};
const unplaced = (task: string, schema: Record<string, unknown>) => mapPayload(task, schema).unplaced;

describe("what a task names and a call does not hold", () => {
  test.each([
    ["I need brochure.pdf in Dutch, save it as brochure-nl.pdf", merge, "Dutch"],
    ["turn report.pdf into Spanish and save it as es.pdf", merge, "Spanish"],
    ['put "Dentist" in my calendar on 2026-03-04', event, "2026-03-04"],
    ['put "Dentist" in my calendar at 14:30', event, "14:30"],
    ['put "Dentist" in my calendar for ann@example.com', event, "ann@example.com"],
    ['put "Dentist" in my calendar for 45 euros', event, "euros"],
  ])("%j: %#", (task, schema, named) => {
    expect(unplaced(task, schema)).toContain(named);
  });

  test.each([
    ["join a.pdf and b.pdf into c.pdf", merge],
    ["join german-1.pdf and german-2.pdf into german.pdf", merge],
    ['put "Lunch in French at 12:30" in my calendar', event],
    ['put "Dentist" in one of my two calendars', event],
    ['put "Dentist" in the calendar of my German customers', event],
  ])("nothing of %j is left over", (task, schema) => {
    expect(unplaced(task, schema)).toEqual([]);
  });
});
