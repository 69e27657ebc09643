import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link } from "wouter";
import { cx } from "./cx.ts";

export type ButtonLook = "primary" | "secondary" | "quiet" | "danger";
export type ButtonSize = "sm" | "md";

const LOOKS: Record<ButtonLook, string> = {
  primary: "bg-accent text-on-accent hover:opacity-90",
  secondary: "bg-surface text-ink border border-line hover:border-line-strong",
  quiet: "text-ink-soft hover:bg-sunken hover:text-ink",
  danger: "bg-surface text-bad border border-line hover:border-bad",
};
const SIZES: Record<ButtonSize, string> = {
  sm: "h-7 px-2 text-xs gap-1.5",
  md: "h-9 px-3 text-sm gap-2",
};
const BASE =
  "inline-flex shrink-0 items-center justify-center rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-50";

interface PlainButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  size?: ButtonSize;
}

/** A button that can be busy says what it is doing meanwhile: "Saving…". */
type ButtonProps = PlainButtonProps & ({ busy: boolean; doing: string } | { busy?: never; doing?: never });

export function Button({
  look = "secondary",
  size = "md",
  busy = false,
  doing,
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      className={cx(BASE, LOOKS[look], SIZES[size], className)}
    >
      {busy ? doing : children}
    </button>
  );
}

interface ActionButtonProps extends PlainButtonProps {
  busy: boolean;
  doing: string;
  onCancel: () => void;
}

/** For what takes longer than a moment: it can be cancelled. */
export function ActionButton({ onCancel, className, ...rest }: ActionButtonProps) {
  return (
    <span className={cx("inline-flex flex-wrap gap-2", className)}>
      <Button {...rest} />
      {rest.busy && (
        <Button size={rest.size ?? "md"} onClick={onCancel}>
          Cancel
        </Button>
      )}
    </span>
  );
}

interface IconButtonProps extends Omit<PlainButtonProps, "children"> {
  /** Label for screen readers and the tooltip: an icon alone is not enough. */
  label: string;
  children: ReactNode;
}

export function IconButton({ label, look = "quiet", size = "sm", className, ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      aria-label={label}
      title={label}
      className={cx(size === "sm" ? "w-7 px-0!" : "w-9 px-0!", className)}
      size={size}
    />
  );
}

interface LinkButtonProps {
  href: string;
  look?: ButtonLook;
  size?: ButtonSize;
  className?: string;
  children: ReactNode;
  "aria-label"?: string;
}

/** Looks like a button but is a link: it can be opened in a new tab. */
export function LinkButton({ look = "secondary", size = "md", className, ...rest }: LinkButtonProps) {
  return <Link {...rest} className={cx(BASE, LOOKS[look], SIZES[size], className)} />;
}
