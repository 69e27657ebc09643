/** Tries a model's text check outside a run; the call counts in the budgets of the person who tries it. */
import { ok, type Result } from "@capstan/core";
import type { Spender } from "@capstan/core/internal";
import type { Models } from "../providers/models.ts";
import { guessTokens } from "../runs/model/fit-conversation.ts";
import { checkByModel, type ModelCheck, type ModelVerdict } from "../runs/model/model-checks.ts";
import { TextBlocked } from "../runs/model/text-guard.ts";
import { estimateFor } from "../runs/steps/spend.ts";
import { type GenerateParts, withinBudget } from "./generate.ts";

export interface TextTrialParts {
  readonly models: Pick<Models, "resolve">;
  readonly ledger: GenerateParts["ledger"];
}

/** "blocked": the text would be blocked, or the check cannot be made. */
export async function tryByModel(
  { models, ledger }: TextTrialParts,
  spender: Spender,
  check: ModelCheck,
  text: string,
): Promise<Result<ModelVerdict | "blocked">> {
  const model = await models.resolve(check.find.model);
  if (!model.ok) return ok("blocked");
  const { name } = model.value;
  const estimate = async () => estimateFor(model.value, guessTokens(check.find.prompt + text));
  return withinBudget<ModelVerdict | "blocked">(ledger, spender, { name, estimate }, async (settle) => {
    try {
      const verdict = await checkByModel(models, check, text);
      await settle(verdict);
      return ok(verdict);
    } catch (error) {
      if (!(error instanceof TextBlocked)) throw error;
      if (error.spent) await settle(error.spent);
      return ok("blocked");
    }
  });
}
