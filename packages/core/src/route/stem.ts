/**
 * The Porter stemmer (M. F. Porter, 1980), so that "booking", "booked" and "books" are one term.
 * Only changes lower-case ASCII words; other scripts, numbers and very short words stay unchanged.
 */
const MEMO_LIMIT = 50_000; // about the vocabulary of a large catalog; an adversarial stream of new words cannot grow it further
const memo = new Map<string, string>();

/** Exceptions from Porter's own revision, Porter2: they only look like a plural or a participle ("news" is not "new"). */
const UNCHANGED = new Set(
  "news sky howe atlas cosmos bias andes inning outing canning herring earring proceed exceed succeed".split(
    " ",
  ),
);

export function stem(word: string): string {
  const known = memo.get(word);
  if (known !== undefined) return known;
  const result = UNCHANGED.has(word) || word.length < 3 || !/^[a-z]+$/.test(word) ? word : steps(word);
  if (memo.size >= MEMO_LIMIT) memo.clear();
  memo.set(word, result);
  return result;
}

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
/** `m` counts vowel-consonant sequences: the measure that decides whether a suffix may be removed. */
const MEASURE_OVER_0 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_IS_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const MEASURE_OVER_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(${CONSONANTS})?${VOWEL}`);
const ENDS_CVC = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);
const DOUBLE_CONSONANT = /([^aeiouylsz])\1$/;

const STEP_2: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];
const STEP_3: readonly (readonly [string, string])[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];
const STEP_4 =
  /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+?[st])(ion)$/;

function steps(word: string): string {
  const first = word.startsWith("y");
  let w = first ? `Y${word.slice(1)}` : word; // an initial y is a consonant
  w = plurals(w);
  w = pastAndGerund(w);
  if (w.endsWith("y") && HAS_VOWEL.test(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = replaceSuffix(w, STEP_2);
  w = replaceSuffix(w, STEP_3);
  const fourth = STEP_4.exec(w);
  const base = fourth?.[1] ?? fourth?.[3];
  if (base !== undefined && MEASURE_OVER_1.test(base)) w = base;
  w = finalE(w);
  return first ? `y${w.slice(1)}` : w;
}

function plurals(w: string): string {
  if (/(ss|i)es$/.test(w)) return w.slice(0, -2);
  return /[^s]s$/.test(w) ? w.slice(0, -1) : w;
}

function pastAndGerund(w: string): string {
  if (w.endsWith("eed")) return MEASURE_OVER_0.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const base = /^(.+?)(?:ed|ing)$/.exec(w)?.[1];
  if (base === undefined || !HAS_VOWEL.test(base)) return w;
  if (/(at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE_CONSONANT.test(base)) return base.slice(0, -1);
  return ENDS_CVC.test(base) ? `${base}e` : base;
}

function replaceSuffix(w: string, table: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of table) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return MEASURE_OVER_0.test(base) ? base + replacement : w;
  }
  return w;
}

function finalE(word: string): string {
  let w = word;
  if (w.endsWith("e")) {
    const base = w.slice(0, -1);
    if (MEASURE_OVER_1.test(base) || (MEASURE_IS_1.test(base) && !ENDS_CVC.test(base))) w = base;
  }
  return w.endsWith("ll") && MEASURE_OVER_1.test(w) ? w.slice(0, -1) : w;
}
