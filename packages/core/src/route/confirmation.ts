/**
 * No side effect on a guess. A step whose tool only reads is executed; any other must be likely enough to be what was asked for, and
 * each of its inputs must stand in the task. What is not is proposed, with the reasons a person should look at.
 */
import type { ToolRisk } from "../tool.ts";
import type { TaskStep } from "./task-contract.ts";

/**
 * The least confidence to execute without asking. Calibrated in `bench/routing`: of forty near misses 0.5 lets three through and keeps
 * nearly every right one; what cannot be undone asks for more.
 */
export const CONFIDENCE_FLOORS: Readonly<Record<ToolRisk, number>> = {
  read: 0.1,
  write: 0.5,
  irreversible: 0.8,
};

const EFFECT: Readonly<Record<ToolRisk, string>> = {
  read: "only reads",
  write: "changes something",
  irreversible: "cannot be undone",
};

type Confirmable = Pick<TaskStep, "capabilityId" | "risk" | "confidence" | "guessed" | "unplaced" | "takes">;

/** What a person should confirm before the step is executed; empty when it may be. */
export function whatToConfirm({
  capabilityId,
  risk,
  confidence,
  guessed = [],
  unplaced = [],
  takes = [],
}: Confirmable): string[] {
  const floor = CONFIDENCE_FLOORS[risk];
  const unsure = confidence < floor;
  return [
    ...(unsure
      ? [
          `Is ${capabilityId} what you want? It ${EFFECT[risk]}, and the confidence is ${confidence} of ${floor} needed.`,
        ]
      : []),
    ...(risk !== "read" && guessed.length > 0
      ? [`Are these right? ${guessed.join(", ")}: read from the task without a clear sign.`]
      : []),
    ...(risk !== "read" && unplaced.length > 0
      ? [`The task names ${unplaced.join(", ")}, which ${capabilityId} does not take. Is it what you want?`]
      : []),
    ...(risk === "irreversible" && takes.length > 0
      ? [`May ${takes.map(({ input, fromStep }) => `${input} be what step ${fromStep} gives`).join(", ")}?`]
      : []),
  ];
}
