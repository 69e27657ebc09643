import { createContext, useContext } from "react";
import { type Abilities, abilitiesOf } from "./abilities.ts";

/** What entries of a conversation need to act. */
export interface Room {
  readonly sessionId: string;
  readonly abilities: Abilities;
  readonly fork: (messageId: string) => void;
}

export const RoomContext = createContext<Room>({
  sessionId: "",
  abilities: abilitiesOf(undefined),
  fork: () => {},
});

export const useRoom = (): Room => useContext(RoomContext);
