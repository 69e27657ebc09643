/** Times of day as `HH:MM`, in the languages that tasks are read in: "9:30", "3 pm", "9.30 Uhr", "15h30", "a las 9 y media", "下午3点". */
export interface TimeText {
  readonly time: string;
  readonly at: number;
  readonly end: number;
}

const LATER =
  /^(?:p|in the (?:afternoon|evening)|de la (?:tarde|noche)|da (?:tarde|noite)|du soir|de l['’]après-midi|nachmittags|abends|午後|下午|晚上)$/iu;
const EARLIER = /^(?:a|in the morning|de la mañana|da manhã|du matin|morgens|vormittags|午前|上午|早上)$/iu;
const PART =
  "(?:\\s+(in the (?:morning|afternoon|evening)|de la (?:mañana|tarde|noche)|da (?:manhã|tarde|noite)|du (?:matin|soir)|de l['’]après-midi|morgens|vormittags|nachmittags|abends)(?!\\p{L}))?";
const HOUR = "([01]?\\d|2[0-4])";
/** "at 3" is left out: nobody knows which half of the day. These languages count to 24 or say so. */
const AT = "(?:a las?|às|as|à|vers|dès|pelas?|para as|desde as|ab|um|gegen)";

type Read = (match: RegExpMatchArray) => string | undefined;
const form = (pattern: string, read: Read): readonly [RegExp, Read] => [
  new RegExp(`(?<![\\p{L}\\d.:])${pattern}`, "giu"),
  read,
];

const FORMS: readonly (readonly [RegExp, Read])[] = [
  form(
    `${HOUR}:([0-5]\\d)(?::([0-5]\\d))?(?!\\d)(?:\\s?([ap])\\.?m(?!\\p{L})|\\s*Uhr(?!\\p{L}))?${PART}`,
    ([, hour, minute, second, half, part]) => clock(hour, minute, half ?? part, second),
  ),
  form("(1[0-2]|[1-9])\\s?([ap])\\.?m(?!\\p{L})", ([, hour, half]) => clock(hour, "0", half)),
  form(
    `${HOUR}(?:[.:]([0-5]\\d))?\\s*Uhr(?!\\p{L})(?:\\s+([0-5]?\\d)(?![\\d.,]))?${PART}`,
    ([, hour, minute, further, part]) => clock(hour, minute ?? further, part),
  ),
  form(`${HOUR}\\s?h\\s?([0-5]\\d)(?!\\d|\\s?m)${PART}`, ([, hour, minute, part]) =>
    clock(hour, minute, part),
  ),
  form(`${AT}\\s+${HOUR}\\s?(?:h|horas|heures|hrs)(?!\\p{L})${PART}`, ([, hour, part]) =>
    clock(hour, "0", part),
  ),
  form(
    `(?:a las?|às|pelas)\\s+${HOUR}(?![\\d.,:]*\\d)(?:\\s+(?:y|e)\\s+(media|meia|cuarto|quarto|[0-5]?\\d)(?!\\p{L}))?${PART}`,
    ([, hour, behind, part]) => clock(hour, PARTS_OF_HOUR[behind?.toLowerCase() ?? ""] ?? behind, part),
  ),
  form(
    "um\\s+(1?\\d|2[0-3])(?=\\s*(?:[,;!?]|\\.(?!\\d)|$)|\\s+(?:im|in|mit|für|bei|am|und)\\s)",
    ([, hour]) => clock(hour, "0", undefined),
  ),
  form(
    "(?:at |by |until |um |gegen |à |al |ao |a |até )?(?:noon|midday|mittags|mediodía|midi|meio-dia)(?!\\p{L})",
    () => "12:00",
  ),
  form(
    "(?:at |by |until |um |à |a |até )?(?:midnight|mitternacht|medianoche|minuit|meia-noite)(?!\\p{L})",
    () => "00:00",
  ),
  [
    /(午前|午後|上午|下午|晚上|早上)?\s*(\d{1,2})\s*(?:時(?!間)|点|點)(?:\s*(\d{1,2})\s*分|(半))?/gu,
    ([, part, hour, minute, half]) => clock(hour, half ? "30" : minute, part),
  ],
];

const PARTS_OF_HOUR: Readonly<Record<string, string>> = {
  media: "30",
  meia: "30",
  cuarto: "15",
  quarto: "15",
};

export const timesIn = (text: string): TimeText[] =>
  FORMS.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const time = read(match);
      return time === undefined ? [] : [{ time, at: match.index, end: match.index + match[0].length }];
    }),
  );

function clock(hour = "", minute = "0", part?: string, second?: string): string | undefined {
  const [said, minutes] = [Number(hour), Number(minute)];
  const later = part !== undefined && LATER.test(part) && said < 12;
  const midnight = part !== undefined && EARLIER.test(part) && said === 12;
  const hours = later ? said + 12 : midnight ? 0 : said % 24;
  if (said > 24 || minutes > 59) return undefined;
  return [hours, minutes, ...(second === undefined ? [] : [Number(second)])]
    .map((each) => String(each).padStart(2, "0"))
    .join(":");
}
