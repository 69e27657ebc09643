import type { PackageReview } from "@capstan/client";
import type { PermissionDiff } from "@capstan/core/internal";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { codes, Fact } from "../../kit/fact.tsx";
import { FlowBadges } from "../../kit/flow-badges.tsx";
import { bytes, count } from "../../kit/words.ts";

/** What the package is, what it adds, what it may do, and what an update changes about that. */
export function Review({ review }: { review: PackageReview }) {
  const { name, version, summary, kind, origin, sha256, size_bytes, unpacked_bytes, files } = review;
  return (
    <div className="flex flex-col gap-4">
      <div>
        <h3 className="flex flex-wrap items-center gap-2 text-base font-semibold">
          {name} <Badge>{version}</Badge> <Badge tone="accent">{kind}</Badge>
          {review.update && <Badge tone="warn">update from {review.update.from_version}</Badge>}
        </h3>
        {summary && <p className="text-ink-soft">{summary}</p>}
      </div>
      {review.update?.permissions && <Diff diff={review.update.permissions} />}
      <Warnings review={review} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        <Fact name="Origin">{origin}</Fact>
        <Fact name="Size">
          {bytes(size_bytes)}, {bytes(unpacked_bytes)} unpacked, {count(files, "file")}
        </Fact>
        <Fact name="SHA-256">
          <code className="text-xs">{sha256}</code>
        </Fact>
        <Fact name="Scopes">{codes(review.scopes)}</Fact>
        <Fact name="Commands">{codes(review.commands)}</Fact>
        <Fact name="Tools">{review.tools.length === 0 ? "none" : <Tools tools={review.tools} />}</Fact>
        <Fact name="Depends on">{codes(review.dependencies)}</Fact>
        {review.resolved_dependencies.length > 0 && (
          <Fact name="Brings along">
            <Dependencies all={review.resolved_dependencies} />
          </Fact>
        )}
        {review.connections && (
          <Fact name="Your accounts at">{codes(review.connections.map(accountText))}</Fact>
        )}
        {review.hosts && <Fact name="Calls">{codes(review.hosts)}</Fact>}
        {review.unused_fields && <Fact name="Not used">{codes(review.unused_fields)}</Fact>}
        {review.skills.length > 0 && <Fact name="Skills">{codes(review.skills)}</Fact>}
        {review.service && <Fact name="Service">{review.service.container}</Fact>}
      </dl>
    </div>
  );
}

/** Everything that would be installed with it, by hash: a long list is opened on request. */
function Dependencies({ all }: { all: PackageReview["resolved_dependencies"] }) {
  return (
    <details>
      <summary>{count(all.length, "package")}</summary>
      <ul className="flex flex-col gap-1">
        {all.map(({ name, version, hash, installed_as: as, inside }) => (
          <li key={`${name} ${version} ${as} ${inside}`}>
            <Code>{`${name} ${version}`}</Code> {as && `installed as ${as} `}
            {inside && `inside ${inside} `}
            <code className="text-xs break-all">{hash}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Tools({ tools }: { tools: PackageReview["tools"] }) {
  return (
    <ul className="flex flex-col gap-1">
      {tools.map(({ name, description, scopes, reads, writes }) => (
        <li key={name}>
          <Code>{name}</Code> <span className="text-ink-soft">{description}</span>{" "}
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}{" "}
          <FlowBadges reads={reads} writes={writes} />
        </li>
      ))}
    </ul>
  );
}

function Warnings({ review }: { review: PackageReview }) {
  const warnings = [
    ...(review.must_run_code ? ["No manifest: its code must run to describe it."] : []),
    ...review.install_scripts.map((script) => `Install script (not run): ${script}`),
    ...review.not_isolated,
  ];
  if (warnings.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2">
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {warning}
        </li>
      ))}
    </ul>
  );
}

const accountText = ({ provider, scopes }: PermissionDiff["connectionsAdded"][number]): string =>
  scopes.length > 0 ? `${provider} (${scopes.join(", ")})` : provider;

/** Permissions the update adds and removes. */
function Diff({ diff }: { diff: PermissionDiff }) {
  const changes: [sign: string, tone: Tone, what: string, names: readonly string[]][] = [
    ["+", "bad", "scope", diff.scopesAdded],
    // A warning: what needed the scope now runs for people who were never granted it.
    ["-", "warn", "scope", diff.scopesRemoved],
    ["+", "bad", "action", diff.actionsAdded],
    ["-", "good", "action", diff.actionsRemoved],
    ["~", "warn", "action with changed permissions", diff.actionsChanged.map(({ action }) => action)],
    ["~", "warn", "command", diff.commandChanged ? [diff.commandChanged.to] : []],
    ["~", "warn", "background service", diff.serviceChanged ? ["service"] : []],
    ["+", "bad", "skill", diff.skillsAdded],
    ["+", "bad", "account at", diff.connectionsAdded.map(accountText)],
  ];
  const shown = changes.flatMap(([sign, tone, what, names]) =>
    names.map((name) => ({ key: `${sign} ${what} ${name}`, sign, tone, what, name })),
  );
  return (
    <section aria-label="Permission changes" className="rounded-lg bg-sunken p-3">
      <h4 className="mb-2 text-sm font-medium">
        {diff.grows ? "This update needs more permissions" : "No new permissions"}
      </h4>
      {shown.length === 0 ? (
        <p className="text-ink-soft">No other changes.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {shown.map(({ key, sign, tone, what, name }) => (
            <li key={key} className="flex items-center gap-2">
              <Badge tone={tone}>{sign}</Badge> {what} <Code>{name}</Code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
