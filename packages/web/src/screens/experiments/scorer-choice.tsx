/** Scorers chosen by name and, if needed, a text. Others are available on the command line and in the API. */
import type { ScorerSpec } from "@capstan/client";
import { Field, Select, TextInput } from "../../kit/field.tsx";

export interface ScorerDraft {
  readonly type: "exact" | "contains" | "judge" | "no_leak" | "refusal" | "human";
  readonly text: string;
}

const KINDS: Readonly<Record<ScorerDraft["type"], readonly [label: string, asks: string | undefined]>> = {
  exact: ["the answer is exactly", undefined],
  contains: ["the answer contains", "Text"],
  judge: ["a model says yes to", "Question to the judge"],
  no_leak: ["nothing secret or personal is said", undefined],
  refusal: ["it does not refuse", undefined],
  human: ["people say yes to", "Question to people"],
};

export function specOf({ type, text }: ScorerDraft): ScorerSpec {
  if (type === "judge") return { type, prompt: text };
  if (type === "human") return { type, question: text };
  if (type === "contains") return { type, ...(text !== "" && { all: [text] }) };
  if (type === "refusal") return { type, expected: false };
  return { type };
}

export const isScorerReady = ({ type, text }: ScorerDraft): boolean =>
  (type !== "judge" && type !== "human") || text.trim() !== "";

interface ScorerChoiceProps {
  kinds: readonly ScorerDraft["type"][];
  draft: ScorerDraft;
  onChange: (draft: ScorerDraft) => void;
}

export function ScorerChoice({ kinds, draft, onChange }: ScorerChoiceProps) {
  const asks = KINDS[draft.type][1];
  return (
    <>
      <Field label="A run is good when">
        {(control) => (
          <Select
            {...control}
            value={draft.type}
            onChange={({ target }) => onChange({ ...draft, type: target.value as ScorerDraft["type"] })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {kind === "exact" ? "the answer is the expected one" : KINDS[kind][0]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {asks !== undefined && (
        <Field label={asks}>
          {(control) => (
            <TextInput
              {...control}
              value={draft.text}
              onChange={({ target }) => onChange({ ...draft, text: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
