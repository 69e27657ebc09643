/** Places of a task: "weather in New York", "10 Downing Street, London", "from Leeds to York" for an origin and a destination. */
import type { Mapping } from "./mapping.ts";
import { isCalendarWord } from "./names-in-text.ts";
import type { ParameterSchema } from "./parameters.ts";

const WORD = String.raw`\p{Lu}[\p{L}\d'’.-]*`;
const WORDS = String.raw`${WORD}(?:\s+(?:(?:of|de|du|des|la|le|del|do|da|am|an der)\s+)?${WORD})*`;
const NAME = String.raw`(?:\d+[a-z]?\s+)?${WORDS}(?:\s+\d{1,4}[a-z]?(?=\s*(?:[,?.!]|$)))?`;
const REST = String.raw`(?:,\s+(?:\d{4,6}\s+)?${WORDS})*`;

/** After the prepositions of every language that tasks are read in. */
const BEHIND = new RegExp(
  String.raw`(?<!\p{L})(?:in|for|at|near|of|to|from|around|für|bei|nach|en|em|à|a|para|pour|de)\s+(?:the\s+)?(${NAME})(${REST})`,
  "gu",
);
/** Said of places more than of people: "to Ann in Lyon". */
const WITHIN = /^(?:in|at|near|bei|nach|en|em)\s/;

const FROM = /^(origin|from|start|departure|source|pickup)/i;
const TO = /^(destination|to|end|arrival|target|dropoff)/i;
const LEAVING = new RegExp(
  String.raw`(?<!\p{L})(?:from|von|ab|desde|de|depuis|da|do)\s+(?:(?:the|der|dem|la|el|le|o|a)\s+)?(${NAME}${REST})(?=\s+(?:to|nach|bis|zum|zur|a|al|hasta|à|au|jusqu|para|até|ao)(?!\p{L}))`,
  "u",
);
const REACHING = new RegExp(
  String.raw`(?<!\p{L})(?:to|nach|bis|zum|zur|hasta|para|até|ao|al|à|au|a)\s+(?:(?:the|der|dem|la|el|le|o|a)\s+)?(${NAME}${REST})`,
  "u",
);

/** "weather in New York tomorrow" -> "New York"; lower case is kept as typed. A city is its name alone, an address all of it. */
export function placeIn({ name: parameter, schema }: ParameterSchema, mapping: Mapping): string | undefined {
  const { task, hints } = mapping;
  const end = FROM.test(parameter) ? LEAVING : TO.test(parameter) ? REACHING : undefined;
  const one = end?.exec(task)?.[1];
  if (one !== undefined && !isCalendarWord(one)) return one;
  const named = placesBehind(mapping);
  const known = named.find(({ name }) => hints.timezoneOf?.(name) !== undefined);
  const within = named.find(({ whole }) => WITHIN.test(whole));
  const chosen = known ?? within ?? named[0];
  const isOneWord =
    /city|country|region|state/i.test(parameter) && !SHOWS_REGION.test(String(schema.description));
  return (
    (chosen && (isOneWord ? chosen.name : chosen.name + chosen.rest)) ??
    /\b(?:in|for|at|near)\s+([\p{L}'-]{3,}(?:\s[\p{L}'-]{3,})?)\s*[?.!]?\s*$/u.exec(task)?.[1]
  );
}

/** "City, State" or, as an example, "Bend, Oregon". */
const SHOWS_REGION = /city,|["'`]\p{Lu}[\p{L} ]+, \p{Lu}\p{L}+["'`]/iu;

function placesBehind({ task, used }: Mapping) {
  const taken = [...used];
  return [...task.matchAll(BEHIND)]
    .map(({ 0: whole, 1: name = "", 2: rest = "", index }) => ({
      name,
      rest,
      whole,
      at: index + whole.length - rest.length - name.length,
    }))
    .filter(
      ({ name, at }) =>
        !isCalendarWord(name) && !taken.some((each) => each.at < at + name.length && each.end > at),
    );
}
