import { useState } from "react";
import { Field, TextArea } from "../kit/field.tsx";

interface JsonInputProps {
  label: string;
  hint?: string | undefined;
  required?: boolean;
  rows?: number;
  value: unknown;
  /** Called with every valid JSON text; until then the last valid value is kept and the error shown. */
  onChange: (value: unknown) => void;
}

export function JsonInput({ label, hint, required = false, rows = 4, value, onChange }: JsonInputProps) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [fault, setFault] = useState<string>();
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : JSON.parse(next));
      setFault(undefined);
    } catch (error) {
      setFault(`Not JSON yet: ${(error as Error).message}`);
    }
  };
  return (
    <Field label={label} hint={hint ?? "As JSON."} error={fault} required={required}>
      {(control) => (
        <TextArea
          {...control}
          rows={rows}
          spellCheck={false}
          className="font-mono text-xs"
          value={text}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  );
}
