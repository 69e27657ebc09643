/** The models of an agent in the order they are asked: the next one when a provider is down, over its quota or too slow. */
import { fail, type Result, type RuntimeAgent } from "@capstan/core";
import { CUSTOM_EVENTS } from "@capstan/core/internal";
import type { ResolvedModel } from "../../providers/models.ts";
import type { RunContext } from "../context/run-context.ts";

/** Failures that say something about the provider; a request that it refuses would be refused by the next, too. */
const LEFT: ReadonlySet<string> = new Set([
  "provider_unavailable",
  "provider_busy",
  "provider_slow",
  "provider_resting",
  "provider_key_refused",
  "provider_key_missing",
]);

/** Names of the models that may answer; undefined is the server's default. */
export const modelNames = ({ claim }: RunContext, { spec }: RuntimeAgent): (string | undefined)[] => [
  claim.input.model ?? spec.model,
  ...spec.fallbackModels,
];

type Ask<T> = (model: ResolvedModel, isLast: boolean) => Promise<Result<T>>;

/** Asks one model after the other until one answers, or fails for a reason that another would share. */
export async function askInOrder<T>(
  context: RunContext,
  agent: RuntimeAgent,
  ask: Ask<T>,
): Promise<Result<T>> {
  const names = modelNames(context, agent);
  for (let at = 0; ; at++) {
    const isLast = at >= names.length - 1;
    const answer = await askOne(context, names[at], isLast, ask);
    if (answer.ok || isLast || !LEFT.has(answer.failure.code)) return answer;
    tellChange(context, names[at] ?? "the default model", names[at + 1] ?? "", answer.failure.message);
  }
}

/** The last model is asked even while its circuit is open: there is no other. */
async function askOne<T>(
  context: RunContext,
  wanted: string | undefined,
  isLast: boolean,
  ask: Ask<T>,
): Promise<Result<T>> {
  const { circuits, parts } = context.engine;
  const found = await parts.models.resolve(wanted);
  if (!found.ok) return found;
  const { provider, name } = found.value;
  if (!isLast && !circuits.admits(provider)) return fail("provider_resting", { provider });
  context.seen.model = name;
  const answer = await ask(found.value, isLast);
  circuits.settle(provider, answer.ok || !LEFT.has(answer.failure.code));
  return answer;
}

function tellChange(context: RunContext, from: string, to: string, reason: string): void {
  context.partial = undefined;
  context.log.emit({ type: "CUSTOM", name: CUSTOM_EVENTS.modelChanged, value: { from, to, reason } });
  context.warn(`${to} answers in place of ${from}. ${reason}`);
}
