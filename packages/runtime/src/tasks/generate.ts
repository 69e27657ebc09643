/**
 * One answer of the default model outside a run, for tools and tasks; as JSON when a schema is given. It is metered
 * like any other: reserved in the caller's budgets before the model is called, and counted as usage.
 */
import { fail, type JsonSchema, type JsonValue, ok, type Result } from "@capstan/core";
import { type Spender, textOf } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import type { BudgetLedger, Estimate } from "../budgets/budget-ledger.ts";
import { usedUpFacts } from "../budgets/used-up.ts";
import type { Database } from "../db/database.ts";
import type { Models, ResolvedModel } from "../providers/models.ts";
import { costUsd } from "../runs/context/run-meter.ts";
import { guessTokens } from "../runs/model/fit-conversation.ts";
import { type ModelAnswer, streamModel } from "../runs/model/stream-model.ts";
import { estimateFor } from "../runs/steps/spend.ts";

export interface GenerateRequest {
  readonly system: string;
  readonly prompt: string;
  readonly schema?: JsonSchema | undefined;
  readonly signal: AbortSignal;
}

export interface GenerateParts {
  readonly models: Pick<Models, "resolve">;
  readonly ledger: Pick<BudgetLedger, "reserve" | "settle" | "release">;
  readonly database: Pick<Database, "pool">;
}

type Answer = Result<{ readonly text: string; readonly object?: JsonValue; readonly model: string }>;

export async function generate(
  parts: GenerateParts,
  spender: Spender,
  { system, prompt, schema, signal }: GenerateRequest,
): Promise<Answer> {
  const resolved = await parts.models.resolve(undefined);
  if (!resolved.ok) return resolved;
  const model = resolved.value;
  const asked = schema
    ? `${system}\nAnswer with JSON that matches this schema, and nothing else: ${JSON.stringify(schema)}`
    : system;
  const estimate = async () => estimateFor(model, guessTokens(asked + prompt));
  const said = await withinBudget(parts.ledger, spender, { name: model.name, estimate }, async (settle) => {
    const answer = await askOnce(model, { system: asked, prompt, schema, signal });
    if (!answer.ok) return answer;
    const { usage } = answer.value;
    const cost = model.prices ? costUsd(model.prices, usage) : undefined;
    await settle({ costUsd: model.isFree ? 0 : cost, tokens: usage.totalTokens });
    await keepUsage(parts.database, spender, model, answer.value, cost);
    return answer;
  });
  if (!said.ok) return said;
  const text = textOf({ id: "", role: "assistant", content: said.value.parts });
  return schema ? parsed(text, model.label) : ok({ text, model: model.label });
}

type Settle = (spent: Parameters<BudgetLedger["settle"]>[1]) => Promise<void>;

/** Makes a paid call if the caller's budgets have room for it. */
export async function withinBudget<T>(
  ledger: GenerateParts["ledger"],
  spender: Spender,
  model: { readonly name: string; readonly estimate: () => Promise<Estimate> },
  call: (settle: Settle) => Promise<Result<T>>,
): Promise<Result<T>> {
  const reservation = uuidv7();
  const reserving = await ledger.reserve(reservation, spender, model.estimate);
  if (reserving.kind === "used_up") return fail("budget_used_up", usedUpFacts(reserving.usedUp));
  if (reserving.kind === "unpriced")
    return fail("budget_unpriced", { budget: reserving.budget.name, model: model.name });
  try {
    return await call((spent) => ledger.settle(reservation, spent));
  } finally {
    await ledger.release(reservation); // no-op once the reservation is settled
  }
}

async function askOnce(
  model: ResolvedModel,
  { system, prompt, schema, signal }: GenerateRequest,
): Promise<Result<ModelAnswer>> {
  try {
    const answer = await streamModel({
      model,
      options: {
        prompt: [
          { role: "system", content: system },
          { role: "user", content: [{ type: "text", text: prompt }] },
        ],
        abortSignal: signal,
        ...(schema && { responseFormat: { type: "json", schema: schema as never } }),
      },
      messageId: "generated",
      usedCallIds: new Set(),
      emit: () => {},
    });
    return ok(answer);
  } catch (error) {
    signal.throwIfAborted();
    return fail("tool_failed", { message: `The model failed: ${String(error)}` });
  }
}

const KEEP = `insert into usage_fresh(agent_id, model, user_email, input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost_usd)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

async function keepUsage(
  { pool }: GenerateParts["database"],
  { agentId, user }: Spender,
  { name }: ResolvedModel,
  { usage }: ModelAnswer,
  cost: number | undefined,
): Promise<void> {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  const counts = [inputTokens, outputTokens, cachedInputTokens, reasoningTokens];
  await pool.query(KEEP, [agentId, name, user, ...counts, cost ?? null]);
}

function parsed(text: string, model: string): Answer {
  try {
    return ok({ text, object: JSON.parse(text.replace(/^```(?:json)?|```$/g, "")), model });
  } catch {
    return fail("tool_failed", {
      message: "The model did not answer with JSON.",
      nextStep: "Try again, or use another model.",
    });
  }
}
