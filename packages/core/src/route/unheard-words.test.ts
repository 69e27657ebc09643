import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineCapability } from "../capability.ts";
import { ok } from "../result.ts";
import { defineTool } from "../tool.ts";
import { whatToConfirm } from "./confirmation.ts";
import { plan } from "./plan.ts";

const text = z.string();
const board = defineCapability({
  id: "board",
  name: "Board",
  description: "Projects and tasks.",
  tools: [
    defineTool({
      name: "update_project",
      description: "Update a project's details.",
      input: z.object({ project_id: text, name: text.optional(), color: z.enum(["red", "blue"]).optional() }),
      run: () => ok({}),
    }),
  ],
});

function asked(task: string) {
  const [step] = plan({ matches: [{ id: "board", score: 9, reasons: [] }], confidence: 0.95 }, task, {
    capabilityOf: () => board,
  });
  if (!step) throw new Error("no step");
  return { unplaced: step.unplaced ?? [], confirms: whatToConfirm(step).length > 0 };
}

describe("what neither the call holds nor the tool speaks of is asked about", () => {
  test.each([
    ["post a yellow status on project 81: Delivery slips", ["post", "yellow", "status"]],
    ["archive project 81", ["archive"]],
    ["update project 81 for Terry Goodkind", ["terry", "goodkind"]],
  ])("%j: %j", (task, words) => {
    expect(asked(task).unplaced).toEqual(words);
    expect(asked(task).confirms).toBe(words.length > 0);
  });

  test.each([
    "update the details of project 81: name Harbour, color blue",
    "please set the color of my project 81 to red now",
    "change the project 81 to blue",
    "set the color of the half-finished project 81 to red",
    "set the color of the two-sided project 81 to red",
  ])("%j is done", (task) => {
    expect(asked(task)).toEqual({ unplaced: [], confirms: false });
  });
});
