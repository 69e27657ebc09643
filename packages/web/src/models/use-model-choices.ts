import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";

/** Models that would answer now, the default, and what was found on the server's machine. */
export const useModelChoices = () => useRead(["models", "choices"], (signal) => api.models.choices(signal));
