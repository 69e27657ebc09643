import { createContext, useContext } from "react";
import type { UserMessage } from "../../conversation/entries.ts";
import { type Abilities, abilitiesOf } from "./abilities.ts";

/** What entries of a conversation need to act. */
export interface Room {
  readonly sessionId: string;
  readonly agentId: string | undefined;
  readonly abilities: Abilities;
  readonly fork: (messageId: string) => void;
  /** Sends the message that started this run once more. */
  readonly retry: (runId: string) => void;
  readonly chooseModel: () => void;
  /** Replaces this message, in a branch. */
  readonly edit: (message: UserMessage, text: string) => void;
  /** Asks for another answer to the message that started this run, in a branch. */
  readonly regenerate: (runId: string) => void;
  /** A branch is being made. */
  readonly branching: boolean;
  /** The branches from this message on; empty when there is only one. */
  readonly branchesAt: (position: number) => readonly string[];
}

const nothing = () => {};

export const RoomContext = createContext<Room>({
  sessionId: "",
  agentId: undefined,
  abilities: abilitiesOf(undefined),
  fork: nothing,
  retry: nothing,
  chooseModel: nothing,
  edit: nothing,
  regenerate: nothing,
  branching: false,
  branchesAt: () => [],
});

export const useRoom = (): Room => useContext(RoomContext);
