/**
 * Sits between a model's stream and the message built from it: text passes line by line, masked where a check
 * matches. A check that blocks ends the answer; earlier text has already been sent.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type CompiledCheck, checkLine, type TextCheck, type TokenUsage } from "@capstan/core/internal";

export class TextBlocked extends Error {
  readonly check: Pick<TextCheck, "name" | "words">;
  /** What the checks before it have used. */
  readonly spent: { readonly costUsd: number; readonly tokens: number } | undefined;
  /** What the answer itself has used, once it is whole. */
  usage: TokenUsage | undefined;
  constructor(check: TextBlocked["check"], spent?: TextBlocked["spent"]) {
    super(`blocked by "${check.name}"`);
    this.name = "TextBlocked";
    this.check = check;
    this.spent = spent;
  }
}

type Delta = Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" }>;

/** The message builder joins a provider's text blocks into one; its thoughts stay apart. */
const isSameText = (open: Delta, next: Delta): boolean =>
  open.type === next.type && (open.type === "text-delta" || open.id === next.id);

/** Parts that end a block; at any other a word goes on: a provider may send a source or a piece of its protocol in the middle of one. */
const ENDS_BLOCK: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set([
  "reasoning-start",
  "reasoning-end",
  "tool-input-start",
  "tool-call",
  "finish",
  "error",
]);

export class TextGuard {
  readonly #checks: readonly CompiledCheck[];
  #open: Delta | undefined;

  constructor(checks: readonly CompiledCheck[]) {
    this.#checks = checks;
  }

  /** The parts that may pass now. Text without its line's end is withheld, also over the borders of a provider's blocks. */
  take(part: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] {
    if (part.type !== "text-delta" && part.type !== "reasoning-delta")
      return this.#endsOpen(part) ? [...this.flush(), part] : [part];
    const before = this.#open && isSameText(this.#open, part) ? [] : this.flush();
    const text = (this.#open?.delta ?? "") + part.delta;
    const cut = text.lastIndexOf("\n") + 1;
    this.#open = { ...part, delta: text.slice(cut) };
    return cut === 0 ? before : [...before, { ...part, delta: this.#checked(text.slice(0, cut)) }];
  }

  /** The end of a thought does not end the text that was begun after it. */
  #endsOpen({ type }: LanguageModelV4StreamPart): boolean {
    return ENDS_BLOCK.has(type) && !(type === "reasoning-end" && this.#open?.type === "text-delta");
  }

  /** The withheld text, at the end of a block. */
  flush(): readonly LanguageModelV4StreamPart[] {
    const open = this.#open;
    this.#open = undefined;
    return open && open.delta !== "" ? [{ ...open, delta: this.#checked(open.delta) }] : [];
  }

  #checked(text: string): string {
    return text
      .split("\n")
      .map((line) => this.#line(line))
      .join("\n");
  }

  #line(line: string): string {
    const checked = checkLine(line, this.#checks);
    if (checked.kind === "blocked") throw new TextBlocked(checked.check);
    return checked.line;
  }
}
