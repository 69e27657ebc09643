import { useState } from "react";

const placeOf = (name: string): string => `capstan.draft.${name}`;

/** A text that is being written, kept for this tab. */
export function useDraft(name: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(placeOf(name)) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      if (next === "") sessionStorage.removeItem(placeOf(name));
      else sessionStorage.setItem(placeOf(name), next);
    },
  ];
}
