/** Maps numbers to positions: round ticks from zero, and lines that break at missing values. */
const STEPS = [1, 2, 5, 10];

/** Round ticks from 0 to at least `most`, about four of them. */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((each) => each * power >= rough) ?? 10);
  const count = Math.ceil(most / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

export interface Point {
  readonly x: number;
  readonly y: number | null;
}

/** An SVG path through the points; a missing value makes a gap. A lone point becomes a dot. */
export function linePath(points: readonly Point[]): string {
  let drawing = false;
  return points
    .map(({ x, y }) => {
      if (y === null) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${round(x)} ${round(y)}${command === "M" ? "h0" : ""}`;
    })
    .join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
