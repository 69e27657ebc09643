/** capstan experiments: what was measured, and the answers that wait for a person's score. */
import type { ReviewItem } from "@capstan/client";
import type { Command, CommandContext } from "../command.ts";
import { evalText } from "../evals/eval-report.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const experiments: Command = {
  usage: "capstan experiments [list | show <id> | review <id> | cancel <id> | remove <id>]",
  summary:
    "Lists evaluations and shows their results; `review` asks you to score each answer that needs a person. Start one with `capstan eval`.",
  examples: ["capstan experiments list", "capstan experiments review 0199a1c2-7f00-7000-8000-000000000000"],
  run: (context) =>
    runVerb(context, experiments.usage, {
      list: { run: list },
      show: { needs: "an experiment's id", run: show },
      review: { needs: "an experiment's id", run: review },
      cancel: { needs: "an experiment's id", run: cancel },
      remove: { needs: "an experiment's id", run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).experiments.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(
    ({ id, status, dataset_name, version, variants, progress, created_at }) => [
      id,
      status,
      `${dataset_name} v${version}`,
      `${variants.length} variants`,
      `${progress.total} cells`,
      created_at,
    ],
  );
  const none = "No experiments. `capstan eval <dataset> --agent <agent> --scorer exact` makes one.";
  const head = ["ID", "STATUS", "DATASET", "VARIANTS", "CELLS", "AT"];
  return print(answer.value, () => printList(head, rows, terminal.columns, none));
}

async function show({ server, print }: CommandContext, id: string) {
  const found = await (await server()).experiments.get(id);
  if (!found.ok) return found;
  const { dataset_name, version, variants, figures, cost_usd, progress, status } = found.value;
  const waiting = progress.total - progress.done;
  const result = {
    dataset: `${dataset_name} v${version}, ${status}`,
    experimentId: id,
    variants: variants.map(({ name }) => name),
    figures,
    cells: [],
    costUsd: cost_usd,
  };
  return print(found.value, () => evalText(result, waiting > 0 ? [`${waiting} cells are not done`] : []));
}

/** One answer after the other; Enter leaves it for later. */
async function review(context: CommandContext, id: string) {
  const api = await context.server();
  const page = await api.experiments.reviews(id, { limit: 200 });
  if (!page.ok) return page;
  const open = page.value.items.flatMap((cell) => cell.questions.map((question) => ({ cell, ...question })));
  let given = 0;
  for (const { cell, scorer, question } of context.terminal.isInteractive ? open : []) {
    const score = await askFor(context, cell, question);
    if (score === undefined) continue;
    const stored = await api.experiments.review(id, cell.id, { scorer, score });
    if (!stored.ok) return stored;
    given++;
  }
  return context.print({ ...page.value, given }, `${given} scored, ${open.length - given} left\n`);
}

const KEYS: Readonly<Record<string, number>> = { y: 1, n: 0, "1": 1, "0": 0 };

async function askFor(
  { terminal }: CommandContext,
  cell: ReviewItem,
  question: string,
): Promise<number | undefined> {
  terminal.out(`\n${cell.item_id}: ${cell.item.input}\n> ${cell.answer ?? ""}\n`);
  const said = (await terminal.ask(`${question} (y, n, or a number from 0 to 1) `))?.trim() ?? "";
  const score = KEYS[said] ?? (said === "" ? Number.NaN : Number(said));
  return score >= 0 && score <= 1 ? score : undefined;
}

async function cancel({ server, print }: CommandContext, id: string) {
  const done = await (await server()).experiments.cancel(id);
  return done.ok ? print(done.value, `Experiment ${id} is ${done.value.status}\n`) : done;
}

async function remove({ server, print }: CommandContext, id: string) {
  const gone = await (await server()).experiments.remove(id);
  return gone.ok ? print({ removed: id }, `Removed ${id}\n`) : gone;
}
