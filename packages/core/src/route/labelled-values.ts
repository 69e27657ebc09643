/** "subject: Report, body: It is attached.", "x: height and y: weight": values that the task labels with the parameter's own name. */
import { isFreeText } from "./free-text.ts";
import { quotedStart } from "./lead-in.ts";
import type { FoundValue } from "./task-values.ts";
import { identifierWords } from "./text.ts";

interface Label {
  readonly name: string;
  readonly at: number;
  readonly valueAt: number;
}

/** One value per labelled parameter. Text extends to the next label or the end; any other value is one word. */
export function labelledValues(task: string, names: readonly string[]): Map<string, FoundValue> {
  const labels = names
    .flatMap((name) => {
      const marked = labelOf(name, task);
      return marked.length > 0 ? marked : bareLabelOf(name, task);
    })
    .sort((a, b) => a.at - b.at);
  const values = new Map<string, FoundValue>();
  labels.forEach(({ name, valueAt }, at) => {
    const end = labels[at + 1]?.at ?? task.length;
    const rest = task.slice(valueAt, end);
    const text =
      isFreeText(name) || name in SAID
        ? withoutAddress(trimEnd(rest))
        : (/^[^\s,;]+/.exec(rest)?.[0] ?? "").replace(/[.!?]+$/, "");
    if (text !== "")
      values.set(name, {
        kind: "quoted",
        text: unquoted(text),
        at: labels[at]?.at ?? 0,
        end: valueAt + text.length,
      });
  });
  return values;
}

function labelOf(name: string, task: string): Label[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .split(" ");
  if (words[0] === undefined || words[0] === "") return [];
  const found = new RegExp(
    `(?<![\\w./])(?:the\\s+|with\\s+|and\\s+)*${words.join("[\\s_-]?")}\\s*[:=]\\s*(?=\\S)(?!//)`,
    "i",
  ).exec(task);
  return found ? [{ name, at: found.index, valueAt: found.index + found[0].length }] : [];
}

/** What people call these texts; a label without a colon counts for them alone. */
const SAID: Readonly<Record<string, string>> = {
  subject: "subject|betreff|asunto|objet|sujet|assunto",
  title: "title|titel|título|titre",
  body: "body|text|nachricht|inhalt|cuerpo|texto|mensaje|corps|texte|message|corpo|mensagem",
  message: "message|nachricht|mensaje|mensagem|text|texto|texte",
  text: "text|texto|texte",
  content: "contents?|inhalt|text|contenido|texto|contenu|texte|conteúdo",
  comment: "comment|kommentar|bemerkung|comentario|commentaire|comentário",
  note: "note|notiz|nota",
  description: "description|beschreibung|descripción|descrição",
};
const CONNECTED =
  "(?:,\\s*|(?<![\\p{L}])(?:with|and|mit|und|con|y|avec|et|com|e)\\s+)(?:(?:the|a|an|der|dem|den|die|das|einem|el|la|un|una|le|une|o|um|uma|as|als|como|comme)\\s+|l['’])*";
const NOT_A_VALUE =
  "(?!(?:of|for|in|to|about|line|lines|and|from|with|by|that|on|der|des|von|für|und|de|del|du|para|pour|y|e|et|files?|messages?)(?![\\p{L}]))";

/** "with the alt text Our bakery" for `alt_text`: two words in a row are no accident. */
function ofSeveralWords(name: string): string | undefined {
  const own = identifierWords(name).trim().toLowerCase().split(" ");
  return isFreeText(name) && own.length > 1 ? own.join("[\\s_-]") : undefined;
}

/** "with subject Report and body It is attached", "mit Betreff Angebot und Text Bis Freitag". */
function bareLabelOf(name: string, task: string): Label[] {
  const words = SAID[name.toLowerCase()] ?? ofSeveralWords(name);
  if (words === undefined) return [];
  const found = new RegExp(`${CONNECTED}(?:${words})\\s+${NOT_A_VALUE}(?=\\S)`, "iu").exec(task);
  return found ? [{ name, at: found.index, valueAt: found.index + found[0].length }] : [];
}

const trimEnd = (text: string): string =>
  quotedStart(text) ?? text.replace(/(?:[\s,;]+(?:and|und|y|et|e))?[\s,;]*$/i, "").trim();

/** "subject Report to ann@example.com": where it goes is not part of the text. */
const withoutAddress = (text: string): string =>
  text.replace(
    /\s+(?:to|in|into|an|nach|als|en|a|à|dans|como|em|para)\s+(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?:\S+|\/\S+)$/iu,
    "",
  );

const unquoted = (text: string): string => /^"([^"]+)"$/.exec(text)?.[1] ?? text;
