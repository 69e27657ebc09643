/** The arguments of a call in readable form: code and long texts as such, the rest as JSON. */

import { JsonView } from "../kit/json-view.tsx";
import { words } from "../kit/words.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { languageOf } from "../markdown/language-of.ts";
import { isObject } from "./schema-fields.ts";

/** Arguments that contain a program, with their default language. */
const PROGRAMS: Record<string, string> = {
  code: "",
  script: "",
  command: "bash",
  sql: "sql",
  query: "",
  diff: "diff",
  patch: "diff",
};

export function CallArguments({ value, label }: { value: unknown; label: string }) {
  if (!isObject(value)) return <JsonView value={value} label={label} />;
  const texts = Object.entries(value).filter((each): each is [string, string] => isLongText(each));
  const rest = Object.fromEntries(
    Object.entries(value).filter(([name]) => !texts.some(([text]) => text === name)),
  );
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {(Object.keys(rest).length > 0 || texts.length === 0) && <JsonView value={rest} label={label} />}
      {texts.map(([name, text]) => (
        <div key={name} className="min-w-0">
          <p className="mb-1 text-xs font-medium text-ink-soft">{words(name)}</p>
          <CodeBlock text={text} language={languageFor(name, value)} />
        </div>
      ))}
    </div>
  );
}

const isLongText = ([name, value]: [string, unknown]): boolean =>
  typeof value === "string" && (value.trim().includes("\n") || (name in PROGRAMS && value.trim() !== ""));

/** By the call's own language argument, then by its file, then by the argument's name. */
function languageFor(name: string, value: Record<string, unknown>): string {
  if (name in PROGRAMS && typeof value.language === "string") return value.language.toLowerCase();
  const path = [value.path, value.file, value.file_path, value.filename].find(
    (each) => typeof each === "string",
  );
  return (typeof path === "string" && languageOf(path)) || PROGRAMS[name] || "";
}
