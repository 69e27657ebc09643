/** A bar chart as SVG: horizontal bars, the first one in colour, readable on light and dark pages. */
import { type Bars, figure } from "./result.ts";

const WIDTH = 720;
const LABEL_WIDTH = 250;
const VALUE_WIDTH = 90;
const ROW = 30;
const BAR = 18;
const TOP = 44;
const OWN = "#2563eb";
const OTHER = "#94a3b8";

export function barsSvg({ title, unit, bars }: Bars): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  const rows = bars.map(({ label, value }, at) => {
    const y = TOP + at * ROW;
    const width = Math.max(1, (value / most) * room).toFixed(1);
    const text = y + BAR - 4;
    return [
      `<text x="${LABEL_WIDTH - 10}" y="${text}" text-anchor="end" class="label">${escaped(label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR}" rx="3" fill="${label.startsWith("Capstan") ? OWN : OTHER}"/>`,
      `<text x="${LABEL_WIDTH + Number(width) + 8}" y="${text}" class="label">${figure(value)} ${escaped(unit)}</text>`,
    ].join("\n  ");
  });
  const height = TOP + bars.length * ROW + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #334155 }
    .title { font-weight: 600; font-size: 15px }
    @media (prefers-color-scheme: dark) { text { fill: #cbd5e1 } }
  </style>
  <text x="12" y="24" class="title">${escaped(title)}</text>
  ${rows.join("\n  ")}
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
