/** A file as people read it: a picture, a PDF, a table, a tree, formatted text, or code. */
import type { SessionFile } from "@capstan/client";
import { JsonTree } from "../kit/json-tree.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { count } from "../kit/words.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { imageType } from "../markdown/image-type.ts";
import { languageOf } from "../markdown/language-of.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { useObjectUrl } from "../markdown/session-image.tsx";
import type { FileKind } from "./file-kind.ts";
import { parseCsv } from "./parse-csv.ts";

interface FilePreviewProps {
  file: SessionFile;
  kind: FileKind;
  data: Uint8Array;
  text: string | undefined;
}

export function FilePreview({ file, kind, data, text = "" }: FilePreviewProps) {
  if (kind === "image") return <Picture file={file} data={data} />;
  if (kind === "pdf") return <Pdf file={file} data={data} />;
  if (kind === "csv") return <CsvTable text={text} label={file.name} />;
  if (kind === "json")
    return (
      <ScrollRegion label={`Content of ${file.path}`} className="max-h-[60dvh] rounded-lg bg-sunken p-3">
        <JsonTree value={JSON.parse(text)} open />
      </ScrollRegion>
    );
  if (kind === "markdown") return <Markdown text={text} />;
  if (kind === "text") return <CodeBlock text={text} language={languageOf(file.path)} />;
  return <p className="text-ink-soft">No preview for this file type. Download it to open it.</p>;
}

function Picture({ file, data }: { file: SessionFile; data: Uint8Array }) {
  const src = useObjectUrl(data, imageType(file.path) ?? "image/png");
  return src ? <img src={src} alt={file.name} className="mx-auto max-h-[60dvh] rounded-lg" /> : null;
}

/** Shown by the browser's viewer; anything but a PDF shows as empty, because the type is fixed here. */
function Pdf({ file, data }: { file: SessionFile; data: Uint8Array }) {
  const src = useObjectUrl(data, "application/pdf");
  return src ? (
    <iframe src={src} title={file.name} className="h-[60dvh] w-full rounded-lg border border-line" />
  ) : null;
}

const MOST_ROWS = 500;

function CsvTable({ text, label }: { text: string; label: string }) {
  const [head = [], ...rows] = parseCsv(text);
  return (
    <div className="flex flex-col gap-2">
      <ScrollRegion label={`Table of ${label}`} className="max-h-[60dvh] rounded-lg border border-line">
        <table className="numbers w-full text-left text-xs">
          <thead className="sticky top-0 bg-sunken">
            <tr>
              {head.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column has no identity but its place
                <th key={index} className="px-3 py-1.5 font-medium whitespace-nowrap">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.slice(0, MOST_ROWS).map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor has a row
              <tr key={place}>
                {row.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: nor a cell
                  <td key={index} className="max-w-80 truncate px-3 py-1 whitespace-nowrap" title={cell}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="text-xs text-ink-faint">
        {count(rows.length, "row")}
        {rows.length > MOST_ROWS && `, the first ${MOST_ROWS} shown`}
      </p>
    </div>
  );
}
