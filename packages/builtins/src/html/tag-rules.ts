/**
 * How tags nest when some are left out: which are void, what a start tag closes, and how far an end tag reaches.
 * The part of the HTML standard's tree construction that decides which text belongs where; the rest needs a tree.
 */

export interface TagRule {
  readonly name: string;
  /** Has no content and no end tag. */
  readonly isVoid: boolean;
  /** Starts on its own line and ends an open paragraph. */
  readonly isBlock: boolean;
  /** Never shown: its content is left out. */
  readonly isHidden: boolean;
  /** Open elements that its start tag closes, and the elements at which the search for them stops. */
  readonly ends: ReadonlySet<string>;
  readonly endsWithin: ReadonlySet<string>;
  /** Most blocks: without an open paragraph there is nothing to search for. */
  readonly endsParagraphOnly: boolean;
  /** The elements at which its end tag stops. */
  readonly closesWithin: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" ").filter(Boolean));
/** A template is a separate document: no tag inside reaches out of it. */
const within = (text: string): ReadonlySet<string> => words(`template ${text}`);

const VOID = words("area base br col embed hr img input link meta param source track wbr keygen frame");
const HIDDEN = words("script style template iframe noembed noframes audio video canvas datalist");
const BLOCK = words(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table ul xmp",
);
const CELLS = "td th caption";
const PARAGRAPH_SCOPE = within(`${CELLS} table button body html`);
const TABLE_PARTS = words("caption colgroup thead tbody tfoot tr td th");

/** Start tags that close others of their kind; every other block ends an open paragraph. */
const ENDS: Readonly<Record<string, readonly [ends: string, within: string]>> = {
  li: ["li p", "ul ol menu dir table td th"],
  dt: ["dt dd p", "dl table td th"],
  dd: ["dt dd p", "dl table td th"],
  option: ["option", "select datalist"],
  optgroup: ["optgroup option", "select"],
  a: ["a", CELLS],
  rt: ["rt rp", "ruby"],
  rp: ["rt rp", "ruby"],
  td: ["td th caption", "tr table"],
  th: ["td th caption", "tr table"],
  tr: ["tr td th caption", "table"],
  thead: ["thead tbody tfoot tr caption", "table"],
  tbody: ["thead tbody tfoot tr caption", "table"],
  tfoot: ["thead tbody tfoot tr caption", "table"],
};

export function tagRule(name: string): TagRule {
  const isBlock = BLOCK.has(name);
  const [ends, endsWithin] = ENDS[name] ?? [];
  return {
    name,
    isBlock,
    isVoid: VOID.has(name),
    isHidden: HIDDEN.has(name),
    endsParagraphOnly: ends === undefined,
    ends: ends === undefined ? words(isBlock ? "p" : "") : words(ends),
    endsWithin: endsWithin === undefined ? PARAGRAPH_SCOPE : within(endsWithin),
    closesWithin: closingScope(name),
  };
}

function closingScope(name: string): ReadonlySet<string> {
  if (name === "template") return words("");
  if (name === "table") return within("");
  return within(TABLE_PARTS.has(name) ? "table" : `${CELLS} table`);
}
