/** Checks on what models say. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { TextCheck, TextCheckCreate, TextTrial, TextTrialResult } from "../wire/text-checks.ts";

export const textCheckEndpoints = ({ json }: Connection) => ({
  ...pagedList<TextCheck>({ json }, "/v1/text-checks"),
  create: (check: TextCheckCreate) => json<TextCheck>("POST", "/v1/text-checks", { json: check }),
  remove: (id: string) => json<void>("DELETE", `/v1/text-checks/${encodeURIComponent(id)}`),
  /** What would happen to a text; nothing is sent. */
  try: (trial: TextTrial) => json<TextTrialResult>("POST", "/v1/text-checks/try", { json: trial }),
});
