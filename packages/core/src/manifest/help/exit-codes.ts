/**
 * Exit codes that mean a result rather than a failure, for a proposed manifest: from the help text, otherwise from a
 * table of programs whose help does not mention them. An unknown program gets none: a failure must not look like a
 * result.
 */
export type ExitCodes = Readonly<Record<string, string>>;

/** From the manual of each. */
const DOCUMENTED: Readonly<Record<string, ExitCodes>> = {
  shellcheck: { 1: "The files were checked and have issues." },
  eslint: { 1: "The files were checked and have errors, or more warnings than allowed." },
  prettier: { 1: "Some files are not formatted." },
  jq: { 1: "With --exit-status: the last output was false or null." },
  diff: { 1: "The inputs differ." },
  cmp: { 1: "The inputs differ." },
  grep: { 1: "No line matches." },
};

/** "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble." */
const SENTENCE = /\bexit (?:status|code)s?\s+(?:is|are|will be)\s+0\b([^.]*)/i;
const CLAUSE = /[,;]\s*(?:and\s+|or\s+)?(\d{1,3})\s+((?:if|when|otherwise)\b[^,;]*)/gi;
const TROUBLE = /\b(?:trouble|errors?|fail(?:s|ed|ure|ures)?|invalid|problems? occur|usage|wrong|crash)/i;
/** "0 if successful, 1 otherwise": every other code is a failure. */
const SUCCESS = /\b(?:success(?:ful(?:ly)?)?|succeed(?:s|ed)?|ok|okay|no errors?|everything|all went)\b/i;
const MEANING_CHARS = 200;

export function answerCodes(program: string, help: string): ExitCodes | undefined {
  const found = Object.fromEntries(saidIn(help));
  return Object.keys(found).length > 0 ? found : DOCUMENTED[program];
}

function saidIn(help: string): [code: string, meaning: string][] {
  const sentence = SENTENCE.exec(help.replaceAll(/\s+/g, " "))?.[1] ?? "";
  if (SUCCESS.test(/^[^,;]*/.exec(sentence)?.[0] ?? "")) return [];
  return [...sentence.matchAll(CLAUSE)].flatMap(([, code = "", meaning = ""]) =>
    code === "0" || TROUBLE.test(meaning)
      ? []
      : [[code, `Exit code ${code}: ${meaning.trim()}.`.slice(0, MEANING_CHARS)]],
  );
}
