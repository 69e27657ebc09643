/** The four states of loaded data: loading, failed, empty, present. */
import type { Failure } from "@capstan/core";
import type { UseQueryResult } from "@tanstack/react-query";
import PlugZap from "lucide-react/icons/plug-zap";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ComponentType, ReactNode } from "react";
import { failureOf, isMissingPart } from "../server/api.ts";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { WholeOutput } from "./whole-output.tsx";

export function Loading({ rows = 3, label = "Loading" }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex animate-pulse flex-col gap-3 py-1">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className="h-4 rounded-md bg-sunken" style={{ width: `${92 - ((row * 17) % 45)}%` }} />
      ))}
    </div>
  );
}

interface EmptyProps {
  icon?: ComponentType<{ className?: string }>;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      {Icon && <Icon className="size-7 text-ink-faint" aria-hidden />}
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-ink-soft">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

interface FailureNoteProps {
  failure: Failure;
  onRetry?: (() => void) | undefined;
  className?: string;
}

/** The server's own message: what happened, and what to do next. */
export function FailureNote({ failure, onRetry, className }: FailureNoteProps) {
  return (
    <div role="alert" className={cx("flex gap-3 rounded-lg bg-bad-soft p-3 text-sm text-bad", className)}>
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium whitespace-pre-line">{failure.message}</p>
        {failure.nextStep && <p className="mt-0.5">{failure.nextStep}</p>}
        <WholeOutput nextStep={failure.nextStep} />
      </div>
      {onRetry && (
        <Button size="sm" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** A feature that this server does not have, for example an older one. */
export function NotHere({ what }: { what: string }) {
  return (
    <Empty icon={PlugZap} title={`${what} are not available on this server`}>
      Update the server, or check its log for why this part is off.
    </Empty>
  );
}

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, "data" | "isError" | "error"> & { refetch(): unknown };
  /** What is loaded, in the plural: "Approvals". */
  what: string;
  rows?: number;
  children: (value: T) => ReactNode;
}

export function Loaded<T>({ query, what, rows = 3, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError)
    return <ReadFailure error={query.error} what={what} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} label={`Loading ${what.toLowerCase()}`} />;
}

function ReadFailure({ error, what, onRetry }: { error: unknown; what: string; onRetry: () => void }) {
  const failure = failureOf(error);
  if (isMissingPart(failure)) return <NotHere what={what} />;
  return <FailureNote failure={failure} onRetry={onRetry} />;
}

/** Why a change was refused. */
export function ChangeFailure({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <div ref={bringIntoView} className="scroll-my-6">
      <FailureNote failure={failureOf(error)} />
    </div>
  );
}

/** At the end of a long form or list, a failure would appear below what is in view. */
const bringIntoView = (note: HTMLElement | null) => note?.scrollIntoView({ block: "nearest" });
