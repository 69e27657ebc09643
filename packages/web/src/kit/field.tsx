import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { cx } from "./cx.ts";

export const INPUT =
  "w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-sm text-ink transition-colors hover:border-line-strong disabled:opacity-60 aria-invalid:border-bad";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean | undefined;
  /** For a label that is visually obvious, such as a search box's. */
  hideLabel?: boolean | undefined;
  className?: string | undefined;
  children: (control: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}

export function Field({ label, hint, error, required, hideLabel, className, children }: FieldProps) {
  const id = useId();
  const said = error ?? hint;
  const described = said ? { "aria-describedby": `${id}-said` } : {};
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "text-sm font-medium"}>
        {label}
        {required && <span className="text-bad"> (required)</span>}
      </label>
      {children({ id, ...described, ...(error && { "aria-invalid": true as const }) })}
      {said && (
        <p id={`${id}-said`} className={cx("text-xs", error ? "text-bad" : "text-ink-faint")}>
          {said}
        </p>
      )}
    </div>
  );
}

export function TextInput({
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return <input type="text" {...rest} className={cx(INPUT, "h-9", className)} />;
}

type TextFieldProps = Omit<FieldProps, "children"> &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof FieldProps | "onChange"> & {
    onChange: (value: string) => void;
  };

/** A labelled line of text. */
export function TextField({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  onChange,
  ...input
}: TextFieldProps) {
  const field = { label, hint, error, required, hideLabel, className };
  return (
    <Field {...field}>
      {(control) => <TextInput {...control} {...input} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  );
}

export function TextArea({
  className,
  ...rest
}: TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return <textarea rows={3} {...rest} className={cx(INPUT, "scroll-quiet py-2 leading-5", className)} />;
}

export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return <select {...rest} className={cx(INPUT, "h-9 pr-8", className)} />;
}

interface ToggleProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  hideLabel?: boolean;
  disabled?: boolean;
}

export function Toggle({ checked, onChange, label, hideLabel, disabled }: ToggleProps) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-labelledby={id}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className={cx(
          "relative h-5 w-9 shrink-0 rounded-full border transition-colors disabled:opacity-50",
          checked ? "border-accent bg-accent" : "border-line-strong bg-sunken",
        )}
      >
        <span
          className={cx(
            "absolute top-0.5 size-3.5 rounded-full transition-[left]",
            checked ? "left-[18px] bg-on-accent" : "left-0.5 bg-line-strong",
          )}
        />
      </button>
      <span id={id} className={hideLabel ? "sr-only" : "text-sm"}>
        {label}
      </span>
    </span>
  );
}
