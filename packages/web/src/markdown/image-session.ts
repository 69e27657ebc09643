import { createContext } from "react";

/** The session whose files the pictures in a text name; none outside a session. */
export const ImageSession = createContext<string | undefined>(undefined);
