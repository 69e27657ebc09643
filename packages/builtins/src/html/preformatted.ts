/** The content of `<pre>`: verbatim text. Tags inside only colour it; only line breaks, the language and links matter. */
import { decodeText } from "./entity.ts";
import type { Attributes, Element } from "./html-walker.ts";
import { linkTarget } from "./link-target.ts";

const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source|text)-|brush:\s*)([\w+#.-]+)/i;

/** The programming language that a highlighter put in the class or data attributes of an element. */
export function languageOf(attributes: Attributes): string {
  const { class: names = "", "data-lang": lang, "data-language": language } = attributes;
  const found = lang ?? language ?? LANGUAGE.exec(names)?.[1] ?? "";
  return /^[\w+#.-]{1,40}$/.test(found) ? found.toLowerCase() : "";
}

export class Preformatted {
  readonly tag: string;
  language: string;
  /** Targets with their text, for the dialect that lists them after the code. */
  readonly links = new Map<string, string>();
  private readonly baseUrl: string | undefined;
  private content = "";
  /** Kept separately, because reading the end of a growing string would copy it each time. */
  private atLineStart = true;
  private linkText = "";

  constructor(element: Element, languageAround: string, baseUrl: string | undefined) {
    this.tag = element.tag.name;
    this.language = languageOf(element.attributes) || languageAround;
    this.baseUrl = baseUrl;
  }

  text(source: string): void {
    this.append(this.tag === "xmp" ? source : decodeText(source));
  }

  open({ tag: { name, isBlock }, attributes }: Element): void {
    if (name === "br") this.append("\n");
    else if (name === "code") this.language ||= languageOf(attributes);
    else if (name === "a") this.linkText = "";
    else if (name === "img") this.append(attributes.alt ?? "");
    if (isBlock || name === "tr") this.newLine();
  }

  close({ tag: { name, isBlock }, attributes }: Element): void {
    const target = name === "a" && linkTarget(attributes.href, this.baseUrl);
    if (target && !target.startsWith("#")) this.links.set(target, this.linkText.replace(/\s+/g, " ").trim());
    if (isBlock || name === "tr") this.newLine();
  }

  get isBlank(): boolean {
    return this.content.trim() === "";
  }

  /** HTML drops the line break directly after `<pre>`; those before `</pre>` are invisible. */
  result(): string {
    return this.content.replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd().replaceAll("\u00a0", " ");
  }

  private append(text: string): void {
    if (text === "") return;
    this.content += text;
    this.linkText += text;
    this.atLineStart = text.endsWith("\n");
  }

  private newLine(): void {
    if (!this.atLineStart) this.append("\n");
  }
}
