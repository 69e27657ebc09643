/**
 * `/capabilities.json` in each session whose agent has an installed package: the parts that the agent may use for its user.
 * It is generated when read, so a grant, a revocation or an expiry shows immediately.
 */
import type { SessionFileStore } from "@capstan/core";
import { SESSION_MANIFEST_PATH, sessionManifest } from "@capstan/core/internal";
import { type Composer, compileGrep, type Packages, type SessionStore, withMadeFile } from "@capstan/runtime";

export interface ManifestParts {
  readonly sessions: Pick<SessionStore, "get">;
  readonly composer: Pick<Composer, "showFor">;
  readonly packages: Pick<Packages, "manifestOf">;
  readonly now: () => Date;
}

const MOST_KEPT = 1000; // sessions whose last change time is cached; an evicted one looks changed once

export function openSessionManifests(parts: ManifestParts) {
  const changed = new Map<string, { text: string; since: Date }>();
  const make = async (sessionId: string) => {
    const text = await manifestText(sessionId, parts);
    const before = changed.get(sessionId);
    if (text === undefined || before?.text === text) return text === undefined ? undefined : before;
    const made = { text, since: parts.now() };
    changed.delete(sessionId);
    changed.set(sessionId, made);
    const oldest = changed.keys().next().value;
    if (changed.size > MOST_KEPT && oldest !== undefined) changed.delete(oldest);
    return made;
  };
  return (sessionId: string, files: SessionFileStore): SessionFileStore =>
    withMadeFile(files, { path: SESSION_MANIFEST_PATH, make: () => make(sessionId), compile: compileGrep });
}

async function manifestText(
  sessionId: string,
  { sessions, composer, packages }: ManifestParts,
): Promise<string | undefined> {
  const session = await sessions.get(sessionId);
  if (!session.ok || session.value.agentId === null) return undefined;
  const agent = await composer.showFor(session.value.agentId, session.value.owner, session.value.follows);
  if (!agent.ok) return undefined;
  const manifests = agent.value.capabilities.flatMap(({ id }) => packages.manifestOf(id) ?? []);
  return manifests.length === 0 ? undefined : sessionManifest(manifests, agent.value);
}
