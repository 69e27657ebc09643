import type { PackageReview, PackageSource } from "@capstan/client";
import { useState } from "react";
import { ActionButton, Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useCancellableChange } from "../../server/queries.ts";
import { Review } from "./review.tsx";

interface InstallProps {
  source: string;
  onSource: (source: string) => void;
}

/** Install in two steps: review, then confirm. */
export function Install({ source, onSource: setSource }: InstallProps) {
  const { change: review, cancel: cancelReview } = useCancellableChange((from: PackageSource, signal) =>
    api.packages.review(from, signal),
  );
  const { change: install, cancel: cancelInstall } = useCancellableChange(
    (grant: string[], signal) =>
      api.packages.install(
        {
          ...(review.variables ?? { source }),
          yes: true,
          ...(review.data && { sha256: review.data.sha256 }),
          ...(review.data?.dependencies_sha256 && { dependencies_sha256: review.data.dependencies_sha256 }),
          ...(grant.length > 0 && { grant }),
        },
        {},
        signal,
      ),
    ["packages", "capabilities", "services", "users"],
  );
  const done = () => {
    review.reset();
    setSource("");
  };
  return (
    <Panel title="Install a package">
      <form
        className="flex flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          install.reset();
          review.mutate({ source: source.trim() });
        }}
      >
        <TextField
          label="Source"
          className="min-w-64 flex-1"
          hint="A path, an npm package name, a URL, or an MCP server's command."
          value={source}
          onChange={setSource}
        />
        <ActionButton
          type="submit"
          className="mt-6"
          look="primary"
          disabled={source.trim() === ""}
          busy={review.isPending}
          doing="Reviewing…"
          onCancel={cancelReview}
        >
          Review
        </ActionButton>
      </form>
      <div className="mt-3 flex flex-col gap-3 empty:hidden">
        <ChangeFailure error={review.error} />
        {review.data && (
          <Asked
            review={review.data}
            busy={install.isPending}
            onYes={(grant) => install.mutate(grant, { onSuccess: done })}
            onNo={install.isPending ? cancelInstall : done}
            onDescribe={() => review.mutate({ source: source.trim(), run_to_describe: true })}
          />
        )}
        <ChangeFailure error={install.error} />
        {install.data && (
          <p role="status" className="rounded-lg bg-good-soft p-3 text-good">
            Installed {install.data.name} {install.data.version}.
          </p>
        )}
      </div>
    </Panel>
  );
}

interface AskedProps {
  review: PackageReview;
  busy: boolean;
  onYes: (grant: string[]) => void;
  onNo: () => void;
  /** Agrees to run the package's code once, to learn what it contains. */
  onDescribe: () => void;
}

function Asked({ review, busy, onYes, onNo, onDescribe }: AskedProps) {
  const [grant, setGrant] = useState<string[]>([]);
  const grows = review.update?.permissions?.grows;
  return (
    <section aria-label="Review" className="flex flex-col gap-4 rounded-lg border border-line p-4">
      <Review review={review} />
      {review.scopes.length > 0 && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm font-medium">Grant these scopes to yourself</legend>
          {review.scopes.map((scope) => (
            <label key={scope} className="flex items-center gap-2">
              <input
                type="checkbox"
                className="accent-accent"
                checked={grant.includes(scope)}
                onChange={({ target }) =>
                  setGrant(target.checked ? [...grant, scope] : grant.filter((each) => each !== scope))
                }
              />
              <code className="text-xs">{scope}</code>
            </label>
          ))}
          <p className="text-xs text-ink-faint">
            Tools stay hidden until both you and the agent have their scopes.
          </p>
        </fieldset>
      )}
      <div className="flex flex-wrap gap-2">
        {review.must_run_code && review.capability === undefined && (
          <Button disabled={busy} onClick={onDescribe}>
            Run once in the sandbox to read its description
          </Button>
        )}
        <Button
          look="primary"
          busy={busy}
          doing="Installing…"
          disabled={review.must_run_code && review.capability === undefined}
          onClick={() => onYes(grant)}
        >
          {grows ? "Update with new permissions" : review.update ? "Update" : "Install"}
        </Button>
        <Button onClick={onNo}>Cancel</Button>
      </div>
    </section>
  );
}
