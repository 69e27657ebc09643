/**
 * Guesses cause no side effects. A read-only step is executed; any other step must be likely enough to be what was asked for, and
 * all of its inputs must come from the task. Otherwise it is proposed, with the reasons to review.
 */
import type { ToolRisk } from "../tool.ts";
import type { TaskStep } from "./task-contract.ts";

/**
 * Minimum confidence to execute without confirmation. Calibrated in `bench/routing`: of forty near misses 0.5 lets three through and
 * keeps nearly every right one; irreversible steps need more.
 */
export const CONFIDENCE_FLOORS: Readonly<Record<ToolRisk, number>> = {
  read: 0.1,
  write: 0.5,
  irreversible: 0.8,
};

const EFFECT: Readonly<Record<ToolRisk, string>> = {
  read: "only reads",
  write: "may change something",
  irreversible: "cannot be undone",
};

type Confirmable = Pick<TaskStep, "capabilityId" | "risk" | "confidence" | "guessed" | "unplaced" | "takes">;

/** What to confirm before the step is executed; empty if nothing. */
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
          `Is ${capabilityId} what you want? It ${EFFECT[risk]}, and the confidence is ${confidence} (${floor} required).`,
        ]
      : []),
    ...(risk !== "read" && guessed.length > 0
      ? [`Are these right? ${guessed.join(", ")}: guessed from the task.`]
      : []),
    ...(risk !== "read" && unplaced.length > 0
      ? [`The task names ${unplaced.join(", ")}, which ${capabilityId} does not use. Is it what you want?`]
      : []),
    ...(risk === "irreversible" && takes.length > 0
      ? [
          `Use ${takes.map(({ input, fromStep }) => `the output of step ${fromStep} as ${input}`).join(", ")}?`,
        ]
      : []),
  ];
}
