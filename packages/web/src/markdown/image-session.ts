import { createContext } from "react";

/** The session whose files the images in a text refer to; undefined outside a session. */
export const ImageSession = createContext<string | undefined>(undefined);
