import type { ExperimentReport } from "@capstan/client";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { amount, duration, usd } from "../../kit/words.ts";
import { numbered } from "./numbered.ts";
import { differenceText, scoreText } from "./score-text.ts";

type Figures = ExperimentReport["figures"];
type Pair = Figures["pairs"][number];

const CELL = "px-4 py-2 align-top";
const VERDICTS: Record<Pair["verdict"], [text: string, tone: Tone]> = {
  better: ["better", "good"],
  worse: ["worse", "bad"],
  no_difference_found: ["no difference found", "plain"],
};

/** A column for each variant, a row for each scorer; the others are compared with the first. */
export function VariantTable({ report: { figures, variants } }: { report: ExperimentReport }) {
  const scorers = [
    ...new Set(figures.variants.flatMap((variant) => variant.scorers.map(({ scorer }) => scorer))),
  ];
  const row = (name: string, text: (variant: Figures["variants"][number]) => string) => (
    <tr key={name}>
      <th className={`${CELL} font-medium`}>{name}</th>
      {figures.variants.map((variant) => (
        <td key={variant.variant} className={CELL}>
          {text(variant)}
        </td>
      ))}
    </tr>
  );
  return (
    <Panel title="Variants" flush>
      <ScrollRegion label="Variants side by side" className="rounded-b-xl">
        <table className="numbers w-full text-left text-sm whitespace-nowrap">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line">
              <th className={`${CELL} font-medium`}>Scorer</th>
              {numbered(variants).map(({ at, item: { name } }) => (
                <th key={at} className={`${CELL} font-medium`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {scorers.map((scorer) => (
              <tr key={scorer}>
                <th className={`${CELL} font-medium`}>{scorer}</th>
                {numbered(variants).map(({ at }) => (
                  <td key={at} className={CELL}>
                    <Score figures={figures} scorer={scorer} variant={at} />
                  </td>
                ))}
              </tr>
            ))}
            {row("Tokens", ({ tokens }) => amount(tokens))}
            {row("Cost", ({ cost_usd }) => usd(cost_usd))}
            {row("Model time", ({ model_ms }) => duration(model_ms))}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}

interface ScoreProps {
  figures: Figures;
  scorer: string;
  variant: number;
}

function Score({ figures, scorer, variant }: ScoreProps) {
  const score = figures.variants
    .find((each) => each.variant === variant)
    ?.scorers.find((each) => each.scorer === scorer);
  const pair = figures.pairs.find((each) => each.variant === variant && each.scorer === scorer);
  if (!score) return "not yet";
  return (
    <div className="flex flex-col items-start gap-1">
      <span>
        <strong>{scoreText(score.mean)}</strong>{" "}
        <span className="text-ink-soft" title="95 % interval">
          {scoreText(score.low)} to {scoreText(score.high)}
        </span>
      </span>
      <span className="text-xs text-ink-faint">
        {score.passed} of {score.items} passed
      </span>
      {pair && <Difference pair={pair} />}
    </div>
  );
}

function Difference({ pair: { difference, low, high, p_adjusted, verdict } }: { pair: Pair }) {
  const [text, tone] = VERDICTS[verdict];
  return (
    <span className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
      <Badge tone={tone}>{text}</Badge>
      {differenceText(difference)} ({differenceText(low)} to {differenceText(high)}), p{" "}
      {p_adjusted < 0.001 ? "< 0.001" : `= ${p_adjusted.toFixed(3)}`}
    </span>
  );
}
