import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";

/** Available models, the default, and what was found on the server's machine. */
export const useModelChoices = () => useRead(["models", "choices"], (signal) => api.models.choices(signal));
