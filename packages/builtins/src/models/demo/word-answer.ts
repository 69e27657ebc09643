/** A tool's answer in words, never as JSON: a sentence for the shapes of built-in tools, lines for any other. */
import { cityIn } from "../city-zones.ts";
import type { ToolAnswer } from "./turn.ts";

type Fields = Readonly<Record<string, unknown>>;

const SHOWN_CHARS = 1500;
const SHOWN_ITEMS = 12;
const LINE_CHARS = 200;

export function wordAnswer(answer: ToolAnswer, task = ""): string {
  const { tool, value, isError } = answer;
  if (isError) return `\`${tool}\` did not work: ${messageOf(value)}`;
  if (typeof value !== "object" || value === null) return cut(String(value));
  const fields = value as Fields;
  for (const word of SHAPES) {
    const said = word(fields, answer, task);
    if (said !== undefined) return said;
  }
  return linesOf(fields);
}

type Shape = (fields: Fields, answer: ToolAnswer, task: string) => string | undefined;

const time: Shape = ({ timestamp, timezone }, _answer, task) => {
  if (typeof timezone !== "string" || typeof timestamp !== "string") return undefined;
  const [, date, clock] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(timestamp) ?? [];
  if (!date || !clock) return `It is ${timestamp}.`;
  const day = new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", {
    dateStyle: "full",
    timeZone: "UTC",
  });
  const place = cityIn(task, timezone) ?? timezone.split("/").at(-1)?.replaceAll("_", " ");
  return `It is ${clock} in ${place} (${day.replace(",", "")}).`;
};

const OPERATORS: Readonly<Record<string, string>> = { add: "+", subtract: "−", multiply: "×", divide: "÷" };
const sum: Shape = ({ result }, { tool, input: { a, b } }) => {
  if (typeof result !== "number") return undefined;
  const operator = OPERATORS[tool];
  const isSum = operator !== undefined && typeof a === "number" && typeof b === "number";
  return isSum ? `${a} ${operator} ${b} = ${result}` : `The result is ${result}.`;
};

const file: Shape = ({ path, content }) =>
  typeof path === "string" && typeof content === "string"
    ? content === ""
      ? `${path} is empty.`
      : `${path} says:${quoted(content)}`
    : undefined;

const written: Shape = ({ path, created, size_bytes }) =>
  typeof created === "boolean" && typeof path === "string"
    ? `${created ? "I created" : "I replaced"} ${path} (${size_bytes} bytes).`
    : undefined;

const deleted: Shape = ({ path, deleted: gone }) =>
  typeof gone === "boolean" && typeof path === "string"
    ? gone
      ? `I deleted ${path}.`
      : `There is no ${path}, so nothing was deleted.`
    : undefined;

const directory: Shape = ({ path, entries }) => {
  if (!Array.isArray(entries)) return undefined;
  const names = entries.map((entry) => `- ${(entry as { path?: string }).path ?? String(entry)}`);
  return names.length === 0
    ? `There are no files in ${path} yet.`
    : `${path} has ${counted(names.length, "entry", "entries")}:\n${shownItems(names)}`;
};

const matches: Shape = ({ pattern, matches: found }) => {
  if (!Array.isArray(found)) return undefined;
  const lines = (found as { path: string; line_number: number; line: string }[]).map(
    ({ path, line_number, line }) => `- ${path}, line ${line_number}: ${line}`,
  );
  return lines.length === 0 ? `Nothing matches “${pattern}”.` : `Found:\n${shownItems(lines)}`;
};

const todos: Shape = ({ todos: list }) => {
  if (!Array.isArray(list)) return undefined;
  const lines = (list as { content: string; status: string }[]).map(
    ({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${content}`,
  );
  return `The list has ${counted(lines.length, "task", "tasks")}:\n${shownItems(lines)}`;
};

const page: Shape = ({ url, status_code, content, error }) => {
  if (typeof url !== "string" || typeof status_code !== "number") return undefined;
  if (typeof content !== "string" || content.trim() === "")
    return `${url} answered ${status_code}${error ? `: ${error}` : " without text"}.`;
  return `${url} answered ${status_code}. It says:${quoted(content.trim())}`;
};

const program: Shape = ({ exit, exit_code, stdout, stderr }) => {
  if (typeof exit !== "string" || typeof stdout !== "string") return undefined;
  const printed = stdout.trim() === "" ? " It printed nothing." : ` It printed:${quoted(stdout.trimEnd())}`;
  if (exit === "done") return `The program ran.${printed}`;
  const why = String(stderr ?? "")
    .trim()
    .split("\n")
    .at(-1);
  return `The program ended with ${exit} (exit code ${exit_code})${why ? `: ${why}` : ""}.${stdout.trim() === "" ? "" : printed}`;
};

const weather: Shape = ({ city, temperature, units, conditions, is_mock }) =>
  typeof city === "string" && typeof temperature === "number"
    ? `In ${city} it is ${temperature} ${units === "fahrenheit" ? "°F" : "°C"}${typeof conditions === "string" ? `, ${conditions}` : ""}${is_mock ? " (made-up weather, for tests)" : ""}.`
    : undefined;

const said: Shape = (fields) => {
  const key = ["reply", "answer", "text", "summary", "message", "output"].find(
    (name) => typeof fields[name] === "string" && fields[name] !== "",
  );
  return key === undefined ? undefined : cut(String(fields[key]));
};

const SHAPES: readonly Shape[] = [
  time,
  sum,
  page,
  program,
  written,
  deleted,
  directory,
  matches,
  todos,
  file,
  weather,
  said,
];

/** Any other answer: one line for each field, nested ones counted or cut. */
function linesOf(fields: Fields): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `- ${name.replaceAll("_", " ")}: ${inShort(value)}`);
  return lines.length === 0 ? "Done." : shownItems(lines);
}

function inShort(value: unknown): string {
  if (Array.isArray(value))
    return value.every((each) => typeof each !== "object")
      ? cut(value.join(", "), LINE_CHARS)
      : counted(value.length, "item", "items");
  if (typeof value === "object" && value !== null)
    return cut(
      Object.entries(value)
        .map(([name, inner]) => `${name} ${typeof inner === "object" ? "…" : inner}`)
        .join(", "),
      LINE_CHARS,
    );
  return cut(String(value), LINE_CHARS);
}

function messageOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { message, nextStep } = value as { message?: string; nextStep?: string };
  const said = message ?? linesOf(value as Fields);
  return nextStep === undefined ? said : `${said}${/[.!?]$/.test(said) ? "" : "."} ${nextStep}`;
}

const quoted = (text: string): string =>
  text.includes("\n") || text.length > LINE_CHARS ? `\n\n\`\`\`\n${cut(text)}\n\`\`\`` : ` ${text}`;

const shownItems = (lines: readonly string[]): string =>
  lines.length <= SHOWN_ITEMS
    ? lines.join("\n")
    : [...lines.slice(0, SHOWN_ITEMS), `- and ${lines.length - SHOWN_ITEMS} more`].join("\n");

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const cut = (text: string, most = SHOWN_CHARS): string =>
  text.length <= most ? text : `${text.slice(0, most)} …`;
