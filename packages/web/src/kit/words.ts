/** Times, sizes and amounts as people read them. */

const UNITS: [name: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** "5 min ago", "in 2 hr.", "just now". */
export function ago(time: string | number | Date, now: number = Date.now()): string {
  const seconds = Math.round((new Date(time).getTime() - now) / 1000);
  if (Math.abs(seconds) < 45) return seconds > 5 ? "in seconds" : "just now";
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["minute", 60];
  return relative.format(Math.round(seconds / size) || Math.sign(seconds), unit);
}

export function duration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${plain.format(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  if (size < 1_000_000) return `${plain.format(size / 1_000)} kB`;
  return `${plain.format(size / 1_000_000)} MB`;
}

export const amount = (value: number): string =>
  value < 10_000 ? plain.format(value) : compact.format(value);
export const percent = (part: number): string => `${plain.format(part * 100)}%`;
export const usd = (value: number): string =>
  value === 0 ? "$0" : value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;

export const count = (many: number, one: string, several = `${one}s`): string =>
  `${amount(many)} ${many === 1 ? one : several}`;

/** "session_file_system" and "coming-soon" as words. */
export const words = (name: string): string => {
  const text = name.replaceAll(/[_-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const clock = (time: string | number | Date): string =>
  new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const dateTime = (time: string | number | Date): string =>
  new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
