import { createContext, useContext } from "react";
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
}

const nothing = () => {};

export const RoomContext = createContext<Room>({
  sessionId: "",
  agentId: undefined,
  abilities: abilitiesOf(undefined),
  fork: nothing,
  retry: nothing,
  chooseModel: nothing,
});

export const useRoom = (): Room => useContext(RoomContext);
