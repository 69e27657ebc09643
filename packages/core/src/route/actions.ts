/**
 * Verbs as classes: "look up", "find" and "search" mean the same kind of action, "delete" and "create" do not.
 * A capability's class comes from its declared actions, otherwise from the first verb of its name or description.
 */
import { identifierWords, words } from "./text.ts";

/** One row per class, the class name first. A verb may be in several rows. */
const CLASSES: readonly string[] = [
  "create make build start setup register open form found establish add new compose draft insert",
  "generate make create draw render design produce paint compose illustrate animate synthesize",
  "write compose draft save store record log append put",
  "search find lookup query discover browse locate seek explore recommend suggest",
  "fetch get retrieve read load open visit download obtain pull access receive return view",
  "extract scrape parse summarize summarise grab distill highlight",
  "list show display enumerate available view see",
  "delete remove cancel drop erase clear discard unsubscribe revoke terminate stop",
  "update edit change modify set rename adjust replace configure patch",
  "send dispatch deliver post notify email message publish share trigger emit forward",
  "analyze analyse evaluate assess inspect review examine research investigate study",
  "calculate compute add sum multiply divide subtract solve estimate count convert determine",
  "convert translate transform transcribe format encode decode",
  "book reserve schedule arrange order buy purchase pay rent",
  "check verify validate test confirm monitor track status detect",
  "plan outline strategize roadmap organize propose",
  "name brand title call rename",
  "ingest import upload index embed learn train load",
  "chat talk ask answer converse discuss explain tell",
  "play stream listen watch pause",
  "compare contrast match rank sort",
  "execute run invoke launch deploy",
];

const classesOfVerb = new Map<string, number[]>();
CLASSES.forEach((row, at) => {
  for (const verb of row.split(" ")) {
    for (const form of verbForms(verb)) classesOfVerb.set(form, [...(classesOfVerb.get(form) ?? []), at]);
  }
});

/** Classes as bits, so that checking for a shared class is a single operation. */
export function actionBits(verbs: Iterable<string>): number {
  let bits = 0;
  for (const verb of verbs) for (const at of classesOfVerb.get(verb) ?? []) bits |= 1 << at;
  return bits;
}

export const isActionVerb = (word: string): boolean => classesOfVerb.has(word);

const MAKING = actionBits(["register", "append", "post"]);
const RECORDED = actionBits(["register", "append"]);

/** People log, note and post what a program creates. */
export const isSameDeed = (said: number, own: number): boolean =>
  (said & own) !== 0 || ((said & MAKING) !== 0 && (own & RECORDED) !== 0);

/** Verbs that are as often things: "which emails", "the message", "my orders". */
const ALSO_THINGS = new Set(
  "email message post order record log call title name plan form test track query view design draft book stream rank share index update comment reply".split(
    " ",
  ),
);
const BEFORE_THINGS = new Set(
  "the a an my your our their his her its this that these those all any some no which what many new every each of unread latest last next from status".split(
    " ",
  ),
);

/** The action verbs of a sentence, in order, without words that stand there as things; "set up" is one verb. */
export const verbsIn = (spoken: readonly string[]): string[] =>
  spoken
    .map((word, at) => (spoken[at + 1] === "up" && isActionVerb(`${word}up`) ? `${word}up` : word))
    .filter(
      (word, at) =>
        isActionVerb(word) &&
        !(ALSO_THINGS.has(word.replace(/s$/, "")) && BEFORE_THINGS.has(spoken[at - 1] ?? "")),
    );

/** Declared actions win; then the first verb of the name, then of the description. */
export function documentActions(document: {
  readonly name: string;
  readonly description: string;
  readonly actions?: readonly string[];
}): number {
  const declared = actionBits((document.actions ?? []).map((action) => action.toLowerCase()));
  if (declared !== 0) return declared;
  const fromName = actionBits(words(identifierWords(document.name)).slice(0, 3));
  return fromName !== 0 ? fromName : actionBits(words(document.description).slice(0, 2));
}

function verbForms(verb: string): string[] {
  const base = verb.endsWith("e") ? verb.slice(0, -1) : verb;
  const third = /(?:s|sh|ch|x)$/.test(verb) ? `${verb}es` : `${verb}s`;
  return [verb, third, `${base}ing`, `${base}ed`];
}
