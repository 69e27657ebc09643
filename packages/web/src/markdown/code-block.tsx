/** Code with its language, coloured, to copy and to download. */
import Download from "lucide-react/icons/download";
import { memo, useEffect, useState } from "react";
import { IconButton } from "../kit/button.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { saveAs } from "../kit/save-as.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { type ColouredPiece, highlight } from "./highlight.ts";

/** The file extension of a downloaded block, by language. */
const ENDINGS: Record<string, string> = {
  bash: "sh",
  csharp: "cs",
  javascript: "js",
  kotlin: "kt",
  markdown: "md",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  typescript: "ts",
};

interface CodeBlockProps {
  text: string;
  language: string;
}

export const CodeBlock = memo(function CodeBlock({ text, language }: CodeBlockProps) {
  const ending = ENDINGS[language] ?? (/^[a-z0-9]{1,8}$/.test(language) ? language : "txt");
  return (
    <div className="min-w-0 rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between py-0.5 pr-1 pl-3 text-xs text-ink-faint">
        <span>{language || "text"}</span>
        <span className="flex">
          <IconButton label="Download code" onClick={() => saveAs(`code.${ending}`, text)}>
            <Download className="size-3.5" aria-hidden />
          </IconButton>
          <CopyButton text={text} label="Copy code" />
        </span>
      </div>
      <ScrollRegion label={`Code, ${language || "text"}`} className="rounded-b-lg">
        <pre className="px-3 pb-3 text-xs leading-5">
          <ColouredCode text={text} language={language} />
        </pre>
      </ScrollRegion>
    </div>
  );
});

/** The code alone, coloured once the highlighter is loaded; plain until then. */
export function ColouredCode({ text, language }: CodeBlockProps) {
  const [coloured, setColoured] = useState<{ of: string; pieces: ColouredPiece[] }>();
  useEffect(() => {
    let current = true;
    if (language === "") return;
    highlight(text, language.toLowerCase()).then(
      (pieces) => {
        if (current) setColoured(pieces && { of: text, pieces });
      },
      () => {}, // it stays plain: the code itself is what matters
    );
    return () => {
      current = false;
    };
  }, [text, language]);
  // While more is being written, highlighted code keeps its colours and the rest is plain.
  if (!coloured || !text.startsWith(coloured.of)) return text;
  return (
    <>
      {coloured.pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece of code has no identity but its place
        <span key={index} className={piece.className}>
          {piece.text}
        </span>
      ))}
      {text.slice(coloured.of.length)}
    </>
  );
}
