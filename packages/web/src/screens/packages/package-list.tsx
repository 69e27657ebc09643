import type { InstalledPackage, WaitingPackage } from "@capstan/client";
import PackageIcon from "lucide-react/icons/package";
import { useState } from "react";
import { Link } from "wouter";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Empty, FailureNote, Loaded } from "../../kit/states.tsx";
import { ago, bytes } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { Install } from "./install.tsx";

export function PackageList() {
  const query = useRead(["packages"], (signal) => api.packages.list({ limit: 200 }, signal));
  const [leaving, setLeaving] = useState<InstalledPackage>();
  const [source, setSource] = useState("");
  return (
    <div className="flex flex-col gap-6">
      <Loaded query={query} what="Packages" rows={4}>
        {({ items, waiting = [] }) => (
          <>
            <Install source={source} onSource={setSource} />
            <Waiting waiting={waiting} onChoose={setSource} />
            {items.length === 0 ? (
              <Empty icon={PackageIcon} title="No packages installed">
                Wheels, npm packages, folders, MCP servers, skills and OpenAPI documents become capabilities.
              </Empty>
            ) : (
              <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
                {items.map((each) => (
                  <li key={each.name}>
                    <PackageRow installed={each} onRemove={() => setLeaving(each)} />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
      {leaving && (
        <ConfirmDialog
          title={`Uninstall ${leaving.name}?`}
          action="Uninstall"
          change={(options) => api.packages.uninstall(leaving.name, options)}
          mayForce
          refreshes={["packages", "capabilities", "services"]}
          onClose={() => setLeaving(undefined)}
        >
          Removes its capability, files and service. Refused while agents use it.
        </ConfirmDialog>
      )}
    </div>
  );
}

/** Packages in the drop folder that wait for review. */
function Waiting({ waiting, onChoose }: { waiting: WaitingPackage[]; onChoose: (path: string) => void }) {
  if (waiting.length === 0) return null;
  return (
    <Panel title="Waiting for review (drop folder)">
      <ul className="flex flex-col gap-2">
        {waiting.map(({ path, review, failure }) => (
          <li key={path} className="flex flex-wrap items-center gap-2">
            <Code>{review?.name ?? path}</Code>
            {review && <Badge>{review.version}</Badge>}
            <span className="min-w-0 flex-1 text-ink-soft">
              {failure ? `${failure.message} ${failure.nextStep}` : review?.summary}
            </span>
            {review && (
              <Button size="sm" aria-label={`Review ${review.name}`} onClick={() => onChoose(path)}>
                Choose
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function PackageRow({ installed, onRemove }: { installed: InstalledPackage; onRemove: () => void }) {
  const { name, version, kind, size_bytes, origin, description, installed_by, installed_at } = installed;
  return (
    <article className="flex flex-wrap items-start gap-3 p-4">
      <div className="min-w-0 flex-1">
        <h2 className="flex flex-wrap items-center gap-2 font-medium">
          {description.capability ? (
            <Link
              href={`/capabilities/${description.capability}`}
              className="text-accent-ink hover:underline"
            >
              {name}
            </Link>
          ) : (
            name
          )}
          <Badge>{version}</Badge>
          <Badge tone="accent">{kind}</Badge>
        </h2>
        {description.summary && <p className="text-ink-soft">{description.summary}</p>}
        <p className="mt-1 text-xs text-ink-faint">
          {bytes(size_bytes)} from {origin}, by {installed_by} {ago(installed_at)}
        </p>
        {installed.problem && (
          <FailureNote failure={{ code: "package_problem", status: 500, ...installed.problem }} />
        )}
        {description.scopes.length > 0 && (
          <p className="mt-1 flex flex-wrap gap-1 text-xs text-ink-soft">
            Needs{" "}
            {description.scopes.map((scope) => (
              <Code key={scope}>{scope}</Code>
            ))}
          </p>
        )}
      </div>
      <Button size="sm" look="danger" aria-label={`Uninstall ${name}`} onClick={onRemove}>
        Uninstall
      </Button>
    </article>
  );
}
