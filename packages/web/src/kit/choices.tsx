/** Several of a few words, as check boxes in a row. The last one chosen cannot be taken away. */
interface ChoicesProps<T extends string> {
  label: string;
  options: readonly T[];
  chosen: readonly T[];
  onChange: (chosen: T[]) => void;
}

export function Choices<T extends string>({ label, options, chosen, onChange }: ChoicesProps<T>) {
  const toggle = (option: T) => {
    const next = options.filter((each) => (each === option) !== chosen.includes(each));
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset aria-label={label} className="flex flex-wrap gap-x-3 gap-y-1">
      {options.map((option) => (
        <label key={option} className="flex items-center gap-1 text-sm">
          <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />
          {option}
        </label>
      ))}
    </fieldset>
  );
}
