/** Languages and currencies that a task names, as the code or name that the parameter takes. */
import type { Mapping } from "./mapping.ts";
import { isSource, kindOf } from "./parameter-kind.ts";
import type { ParameterSchema } from "./parameters.ts";
import { currenciesIn, languagesIn, type NamedValue } from "./value-names.ts";

const FROM_LANGUAGE = /(?<!\p{L})(?:from|aus|vom|del|du|do|desde|depuis)\s+(?:(?:the|dem|el|le|o)\s+)?$/iu;

/** "into French" is the target, "from German" the source; a language in quotes is part of a text. */
export function languageFor(parameter: ParameterSchema, { task, values }: Mapping): string | undefined {
  const said = languagesIn(task).filter(
    ({ at }) => !values.some((value) => value.kind === "quoted" && value.at <= at && at < value.end),
  );
  const isFrom = ({ at }: NamedValue) => FROM_LANGUAGE.test(task.slice(0, at));
  const chosen = isSource(parameter) ? said.find(isFrom) : said.findLast((each) => !isFrom(each));
  if (!chosen) return undefined;
  const { enum: choices, description } = parameter.schema;
  if (!Array.isArray(choices))
    return /\b(code|ISO)\b/i.test(String(description ?? "")) || /code/i.test(parameter.name)
      ? chosen.code
      : parameter.name.match(/lang$/i)
        ? chosen.code
        : chosen.name;
  const fits = (choice: unknown) =>
    typeof choice === "string" &&
    [chosen.code, chosen.name.toLowerCase()].includes(choice.toLowerCase().split(/[-_]/)[0] ?? "");
  return choices.find(fits) as string | undefined;
}

/** The first currency mentioned is the source. */
export function currencyFor(parameter: ParameterSchema, { task, parameters }: Mapping): string | undefined {
  const said = currenciesIn(task);
  const chosen = isSource(parameter) ? said[0] : said.length > 1 ? said.at(-1) : undefined;
  const isOnly = parameters.filter((each) => kindOf(each) === "currency").length === 1;
  return (chosen ?? (isOnly ? said[0] : undefined))?.code;
}
