/**
 * Sits between a model's stream and the message built from it: text passes line by line, masked where a check
 * matches. A check that blocks ends the answer; earlier text has already been sent.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  type CompiledCheck,
  checkLine,
  type TextCheck,
  type TokenUsage,
  unfinishedLine,
} from "@capstan/core/internal";

export class TextBlocked extends Error {
  readonly check: Pick<TextCheck, "name" | "words">;
  /** Usage of the earlier checks. */
  readonly spent: { readonly costUsd: number; readonly tokens: number } | undefined;
  /** Usage of the answer itself, once complete. */
  usage: TokenUsage | undefined;
  constructor(check: TextBlocked["check"], spent?: TextBlocked["spent"]) {
    super(`blocked by "${check.name}"`);
    this.name = "TextBlocked";
    this.check = check;
    this.spent = spent;
  }
}

type Delta = Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" }>;

/** The message builder joins a provider's text blocks into one; reasoning stays separate. */
const isSameText = (open: Delta, next: Delta): boolean =>
  open.type === next.type && (open.type === "text-delta" || open.id === next.id);

/** Parts that end a block. Others, such as a source, may come in the middle of a word. */
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
  /** The unfinished lines that were already sent: a tool call may come in the middle of a word. */
  readonly #before: Record<Delta["type"], string>;
  #open: Delta | undefined;

  /** `before` is what the conversation's last answer said. */
  constructor(checks: readonly CompiledCheck[], before = "") {
    this.#checks = checks;
    this.#before = { "text-delta": unfinishedLine(before), "reasoning-delta": "" };
  }

  /** The parts that may pass now. An incomplete line is withheld, also across a provider's blocks. */
  take(part: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] {
    if (part.type !== "text-delta" && part.type !== "reasoning-delta")
      return this.#endsOpen(part) ? [...this.flush(), part] : [part];
    const before = this.#open && isSameText(this.#open, part) ? [] : this.flush();
    const text = (this.#open?.delta ?? "") + part.delta;
    const cut = text.lastIndexOf("\n") + 1;
    this.#open = { ...part, delta: text.slice(cut) };
    return cut === 0 ? before : [...before, this.#checked({ ...part, delta: text.slice(0, cut) })];
  }

  /** The end of reasoning does not end text that began after it. */
  #endsOpen({ type }: LanguageModelV4StreamPart): boolean {
    return ENDS_BLOCK.has(type) && !(type === "reasoning-end" && this.#open?.type === "text-delta");
  }

  /** The withheld text, at the end of a block. */
  flush(): readonly LanguageModelV4StreamPart[] {
    const open = this.#open;
    this.#open = undefined;
    return open && open.delta !== "" ? [this.#checked(open)] : [];
  }

  #checked(part: Delta): Delta {
    const before = this.#before[part.type];
    this.#before[part.type] = unfinishedLine(before + part.delta);
    const lines = part.delta.split("\n").map((line, at) => this.#line(line, at === 0 ? before : ""));
    return { ...part, delta: lines.join("\n") };
  }

  #line(line: string, before: string): string {
    const checked = checkLine(line, this.#checks, before);
    if (checked.kind === "blocked") throw new TextBlocked(checked.check);
    return checked.line;
  }
}
