/** File types by extension: a task says "rotate scan.png", never "picture", and a capability says "picture", never "png". */

const KINDS: readonly (readonly [endings: string, words: string])[] = [
  ["md markdown", "markdown"],
  ["doc docx odt rtf", "word document"],
  ["pdf", "pdf document"],
  ["htm html", "html"],
  ["xls xlsx ods", "excel spreadsheet table"],
  ["csv tsv", "csv table"],
  ["ppt pptx", "presentation slides"],
  ["jpg jpeg", "jpeg picture image"],
  ["png gif webp svg avif bmp tif tiff heic", "picture image"],
  ["mp3 wav ogg flac m4a", "audio"],
  ["mp4 mov mkv webm avi", "video"],
  ["zip tar gz tgz 7z rar bz2", "archive"],
];

const wordsByEnding = new Map(
  KINDS.flatMap(([endings, words]) => endings.split(" ").map((ending) => [ending, words] as const)),
);
const FILE = new RegExp(`\\b[\\w-]+\\.(${[...wordsByEnding.keys()].join("|")})\\b`, "gi");

export const kindOfEnding = (ending: string): string | undefined => wordsByEnding.get(ending.toLowerCase());

/** Only for extensions people do not say: they do say "a PDF", and every second tool mentions documents. */
const SAID = /picture|audio|video|archive/;
/** Plain text has no type that anybody names: "save it to notes.txt" is about a file. */
const PLAIN_FILE = /\b[\w-]+\.(?:txt|md|log|json|ya?ml|ini|toml|xml)\b/i;

/** The sentence, followed by the types of its files. */
export function withFileKinds(sentence: string): string {
  if (!sentence.includes(".")) return sentence;
  const kinds = new Set(
    [...sentence.matchAll(FILE)].flatMap(
      ([, ending = ""]) => SAID.exec(kindOfEnding(ending) ?? "")?.[0] ?? [],
    ),
  );
  if (PLAIN_FILE.test(sentence)) kinds.add("file");
  return [sentence, ...kinds].join(" ");
}
