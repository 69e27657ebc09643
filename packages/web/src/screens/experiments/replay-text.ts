/** A short description of a replay's change. */
import type { Replay } from "@capstan/client";

const PROMPT_CHARS = 60;

export function changeText({ with: change }: Pick<Replay, "with">): string {
  const { revision, model, capabilities = [], system_prompt: prompt, rules } = change;
  const parts = [
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...capabilities.map(({ id, version }) => (version === undefined ? id : `${id}@${version}`)),
    ...(prompt === undefined ? [] : [`prompt “${shortened(prompt)}”`]),
    ...(rules === undefined ? [] : [`${rules} rules`]),
  ];
  return parts.length === 0 ? "Unchanged" : `With ${parts.join(", ")}`;
}

const shortened = (text: string): string =>
  text.length > PROMPT_CHARS ? `${text.slice(0, PROMPT_CHARS)}…` : text;
