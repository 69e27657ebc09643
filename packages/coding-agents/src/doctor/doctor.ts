/**
 * doctor: what is installed, whether it does what it claims, and the capabilities that runs rely on.
 *
 * `effective` answers synchronously, from loaded reports; a report of another version than the last seen does not count.
 * Reports are files in one folder, so that a running server reads what a terminal probed: `reload` reads them again.
 */
import type { AgentName, CodingAgentManifest, EffectiveCapabilities } from "@capstan/core/internal";
import { type AgentCheck, type CheckEffects, checkAgent } from "./check-agent.ts";
import { effectiveCapabilities } from "./effective.ts";
import { type ProbeReport, type ProbeRun, probeAgent } from "./probe-agent.ts";
import { loadProbes, saveProbe } from "./probe-store.ts";

export interface DoctorOptions extends CheckEffects {
  readonly manifests: readonly CodingAgentManifest[];
  /** Where probe reports are kept. */
  readonly folder: string;
  /** Runs an agent for a probe; from a client whose environment is only PATH. */
  readonly runAgent: ProbeRun;
  readonly now: () => Date;
}

export interface AgentDiagnosis extends AgentCheck {
  /** The last probe of this version, if there was one. */
  readonly probe?: ProbeReport;
  /** A probe of another version is kept, but does not count. */
  readonly staleProbe?: { readonly version: string; readonly date: string };
}

export interface Doctor {
  check(agent: AgentName): Promise<AgentDiagnosis>;
  checkAll(): Promise<AgentDiagnosis[]>;
  /** Probes and stores the report. Null when the agent is not installed or cannot use a simulated model. */
  probe(agent: AgentName, onProgress?: (scenario: string) => void): Promise<ProbeReport | null>;
  /** Declared capabilities with observed ones merged over them; undefined for an agent without a manifest. */
  effective(agent: AgentName): EffectiveCapabilities | undefined;
}

/** Reads the kept reports first, so that `effective` needs no waiting. */
export async function createDoctor(options: DoctorOptions): Promise<Doctor> {
  const { manifests, folder, runAgent, now } = options;
  const manifestOf = (agent: AgentName) => manifests.find(({ capabilities }) => capabilities.agent === agent);
  const reports = new Map<string, ProbeReport>();
  const reload = async () => {
    for (const report of await loadProbes(folder)) reports.set(report.agent, report);
  };
  await reload();
  const versions = new Map<string, string>();
  const current = (agent: AgentName): ProbeReport | undefined => {
    const report = reports.get(agent);
    const version = versions.get(agent);
    return report && version !== undefined && report.version !== version ? undefined : report;
  };

  async function check(agent: AgentName): Promise<AgentDiagnosis> {
    const found = await checkAgent(known(manifestOf(agent), agent), options);
    await reload();
    if (found.version === undefined) versions.delete(agent);
    else versions.set(agent, found.version);
    const probe = found.installed ? current(agent) : undefined;
    const kept = reports.get(agent);
    if (probe) return { ...found, probe };
    return kept ? { ...found, staleProbe: { version: kept.version, date: kept.date } } : found;
  }

  async function probe(
    agent: AgentName,
    onProgress?: (scenario: string) => void,
  ): Promise<ProbeReport | null> {
    const { capabilities, transports } = known(manifestOf(agent), agent);
    const { version } = await check(agent);
    if (version === undefined) return null;
    const report = await probeAgent({
      declared: capabilities,
      transports,
      version,
      run: runAgent,
      now,
      ...(onProgress && { onProgress }),
    });
    if (!report) return null;
    await saveProbe(folder, report);
    reports.set(agent, report);
    return report;
  }

  return {
    check,
    checkAll: () => Promise.all(manifests.map(({ capabilities }) => check(capabilities.agent))),
    probe,
    effective(agent) {
      const manifest = manifestOf(agent);
      return manifest && effectiveCapabilities(manifest.capabilities, current(agent)?.observed);
    },
  };
}

function known(manifest: CodingAgentManifest | undefined, agent: AgentName): CodingAgentManifest {
  if (!manifest) throw new Error(`There is no manifest for agent '${agent}'.`);
  return manifest;
}
