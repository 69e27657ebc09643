/** A package's review as text: what it adds, what it may do, and what an update changes. */
import type { PackageReview } from "@capstan/client";
import type { PermissionDiff } from "@capstan/core/internal";

export function reviewText(review: PackageReview): string {
  const { update } = review;
  const lines = [
    `${review.name} ${review.version} (${review.kind}), ${review.size_bytes} bytes, ${review.unpacked_bytes} unpacked in ${review.files} files`,
    `  from ${review.origin}`,
    `  sha256 ${review.sha256}`,
    ...(review.summary ? [`  ${review.summary}`] : []),
    ...row(
      "adds",
      review.tools.map(({ name, scopes, reads = [], writes = [] }) => {
        const facts = [
          ...scopes,
          ...reads.map((read) => `reads ${read}`),
          ...writes.map((write) => `writes ${write}`),
        ];
        return facts.length > 0 ? `${name} (${facts.join(", ")})` : name;
      }),
    ),
    ...row("scopes", review.scopes),
    ...row("commands", review.commands),
    ...row("depends on", review.dependencies),
    ...(review.resolved_dependencies.length > 0 ? ["  dependencies, each with its hash:"] : []),
    ...review.resolved_dependencies.map(dependencyLine),
    ...row("skills", review.skills),
    ...row("calls", review.hosts ?? []),
    ...row("uses your accounts at", (review.connections ?? []).map(accountText)),
    ...row("unused manifest fields", review.unused_fields ?? []),
    ...row("service", review.service ? [review.service.container] : []),
    ...row("install scripts, disabled unless allowed", review.install_scripts),
    ...review.not_isolated.map((sentence) => `  not isolated here: ${sentence}`),
    ...(review.must_run_code ? ["  No manifest: it must run code to describe itself."] : []),
    ...(update
      ? [`  replaces version ${update.from_version}${update.same_content ? ", same content" : ""}`]
      : []),
    ...(update?.permissions ? diffLines(update.permissions) : []),
  ];
  return `${lines.join("\n")}\n`;
}

function dependencyLine(dependency: PackageReview["resolved_dependencies"][number]): string {
  const { name, version, installed_as: as, inside, hash } = dependency;
  const notes = [...(as ? [`installed as ${as}`] : []), ...(inside ? [`inside ${inside}`] : [])];
  return `    ${name} ${version}${notes.length > 0 ? ` (${notes.join(", ")})` : ""} ${hash}`;
}

const row = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`  ${title}: ${items.join(", ")}`];

const accountText = ({ provider, scopes }: NonNullable<PackageReview["connections"]>[number]): string =>
  scopes.length > 0 ? `${provider} (${scopes.join(", ")})` : provider;

function diffLines(diff: PermissionDiff): string[] {
  const signed = (sign: string, what: string, names: readonly string[]) =>
    names.map((name) => `    ${sign} ${what} ${name}`);
  const changed = diff.actionsChanged.map(
    ({ action, scopesAdded, scopesRemoved, approvalDropped, riskLowered }) => {
      const parts = [
        ...scopesAdded.map((scope) => `+${scope}`),
        ...scopesRemoved.map((scope) => `-${scope}`),
        ...(approvalDropped ? ["no longer requires approval"] : []),
        ...(riskLowered ? ["declares a lower risk than before"] : []),
      ];
      return `    ~ action ${action}: ${parts.join(" ")}`;
    },
  );
  return [
    diff.grows ? "  NEW RIGHTS:" : "  Permissions do not grow.",
    ...signed("+", "scope", diff.scopesAdded),
    ...signed("-", "scope", diff.scopesRemoved),
    ...signed("+", "action", diff.actionsAdded),
    ...signed("-", "action", diff.actionsRemoved),
    ...changed,
    ...(diff.commandChanged
      ? [`    ~ command ${diff.commandChanged.from} -> ${diff.commandChanged.to}`]
      : []),
    ...(diff.serviceChanged ? ["    ~ its service"] : []),
    ...signed("+", "skill", diff.skillsAdded),
    ...signed("+", "account at", diff.connectionsAdded.map(accountText)),
  ];
}
