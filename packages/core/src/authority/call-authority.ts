/** The actor behind a call that reaches the gate, by its path. A new path without an actor does not compile. */
import type { Actor } from "./authority.ts";
import { cellOf } from "./authority.ts";

/** How a call reached the gate. */
export type CallPath =
  | "loop"
  | "rest"
  | "mcp"
  | "task"
  | "subagent"
  | "harness"
  | "search"
  | "trigger"
  /** A recorded run, made again: results come from the recording, and nothing with side effects runs. */
  | "replay";

/** A key that calls directly has at least `run`: its route checked it. A trigger has the rights of its creator. */
export const ACTOR_BY_PATH: Readonly<Record<CallPath, Actor>> = {
  loop: "the model",
  search: "the model",
  subagent: "the model",
  harness: "a coding agent's program",
  mcp: "an agent's token",
  rest: "run key",
  task: "run key",
  trigger: "run key",
  replay: "the model",
};

/** The paths that rules can name: a replay is judged as the run that it repeats. */
export const CALL_PATHS = (Object.keys(ACTOR_BY_PATH) as CallPath[]).filter((path) => path !== "replay");

/** Whether this actor may call tools at all. */
export const mayCall = (actor: Actor): boolean => cellOf(actor, "capability").may.includes("use");

/** Whether this actor may change rights by its own call; otherwise approval is required. */
export const mayChangeRights = (actor: Actor): boolean => cellOf(actor, "grant").may.includes("change");
