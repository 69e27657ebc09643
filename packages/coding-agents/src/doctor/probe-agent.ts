/**
 * The probe: runs the real CLI with a simulated model and compares its behaviour with its manifest.
 *
 * It has its own home and never uses the user's login. Give it a `run` of a client whose environment is only PATH,
 * so that no provider setting of the user interferes.
 */
import {
  type AgentTransport,
  type CodingAgentCapabilities,
  type CodingAgentEvent,
  overTransport,
  type RunOptions,
} from "@capstan/core/internal";
import type { RunHandle } from "../runner/run-handle.ts";
import { type Sim, startSim } from "../sim/sim-server.ts";
import type { SimWiring } from "../sim/sim-wiring.ts";
import { wireToSim } from "../sim/sim-wiring.ts";
import { FEATURE_PROBES, type FeatureProbe, type FeatureRun, type Taking } from "./feature-probes.ts";
import { makeProbePlace, type ProbePlace } from "./probe-place.ts";
import {
  type ObservedField,
  ProbeInconclusive,
  type ProbeRunSeen,
  SCENARIOS,
  type Scenario,
} from "./probe-scenarios.ts";

/** A run for a probe; without answers or interrupts some features stay untested. */
export type ProbeRun = (
  options: RunOptions,
) => AsyncIterable<CodingAgentEvent> & Partial<Pick<RunHandle, "approve" | "deny" | "interrupt">>;

/** The result of a feature over one transport. */
export interface FeatureFinding {
  readonly transport: string;
  readonly feature: string;
  readonly outcome: "works" | "fails" | "inconclusive" | "not offered";
  /** Why it is inconclusive. */
  readonly why?: string;
}

export interface ProbeReport {
  readonly agent: string;
  readonly version: string;
  /** ISO 8601 timestamp. */
  readonly date: string;
  readonly observed: Readonly<Partial<Record<ObservedField, boolean>>>;
  readonly differences: readonly ProbeDifference[];
  /** What could not be tested, and why. */
  readonly inconclusive: readonly { readonly scenario: string; readonly why: string }[];
  /** Results per transport. */
  readonly features: readonly FeatureFinding[];
}

/** Whether a report is a success: no differences, no failures, nothing inconclusive. */
export const isProbeClean = ({ differences, inconclusive, features }: ProbeReport): boolean =>
  differences.length === 0 &&
  inconclusive.length === 0 &&
  features.every(({ outcome }) => outcome === "works" || outcome === "not offered");

export interface ProbeDifference {
  readonly field: ObservedField;
  readonly declared: boolean;
  readonly observed: boolean;
}

export interface ProbeOptions {
  readonly declared: CodingAgentCapabilities;
  /** Transports to test features over; none skips them. */
  readonly transports?: readonly AgentTransport[];
  readonly version: string;
  readonly run: ProbeRun;
  readonly now: () => Date;
  readonly onProgress?: (scenario: string) => void;
  readonly timeoutMs?: number;
}

const RUN_TIMEOUT_MS = 90_000; // OpenClaw needs up to 25 s a run
const PIECE_MS = 15; // apart enough that a CLI cannot join two pieces into one by accident

/** Null for an agent that cannot use another model server. */
export async function probeAgent(options: ProbeOptions): Promise<ProbeReport | null> {
  const { agent } = options.declared;
  if (wireToSim(agent, "http://127.0.0.1", "/") === null) return null;
  const place = await makeProbePlace();
  const sim = await startSim({ pieceMs: PIECE_MS });
  try {
    const wiring = wireToSim(agent, sim.url, place.home);
    if (!wiring) return null;
    await place.write(wiring.files);
    return await tryScenarios(options, { place, sim, wiring });
  } finally {
    await sim.close();
    await place.remove();
  }
}

interface Probe {
  readonly place: ProbePlace;
  readonly sim: Sim;
  readonly wiring: SimWiring;
}

async function tryScenarios(options: ProbeOptions, probe: Probe): Promise<ProbeReport> {
  const { declared, version, now, onProgress } = options;
  const observed: Partial<Record<ObservedField, boolean>> = {};
  const inconclusive: { scenario: string; why: string }[] = [];
  for (const scenario of SCENARIOS.filter(({ applies }) => applies(declared, probe.wiring))) {
    onProgress?.(scenario.name);
    try {
      Object.assign(observed, await observe(scenario, options, probe));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      inconclusive.push({ scenario: scenario.name, why: error.message.slice(0, MAX_WHY_CHARS) });
    }
  }
  return {
    agent: declared.agent,
    version,
    date: now().toISOString(),
    observed,
    differences: differencesOf(declared, observed),
    inconclusive,
    features: await tryFeatures(options, probe),
  };
}

async function tryFeatures(options: ProbeOptions, probe: Probe): Promise<FeatureFinding[]> {
  const findings: FeatureFinding[] = [];
  for (const transport of options.transports ?? []) {
    for (const feature of FEATURE_PROBES) {
      options.onProgress?.(`${feature.name} over ${transport.name}`);
      findings.push(await tryFeature(feature, transport, options, probe));
    }
  }
  return findings;
}

async function tryFeature(
  feature: FeatureProbe,
  transport: AgentTransport,
  options: ProbeOptions,
  probe: Probe,
): Promise<FeatureFinding> {
  const found = { transport: transport.name, feature: feature.name };
  const can = overTransport(options.declared, transport);
  if (!feature.offered(can)) return { ...found, outcome: "not offered" };
  const way = {
    transport: transport.name,
    approvalMode: can.approvalModes.includes("yolo") ? "yolo" : undefined,
  } as const;
  try {
    const works = await feature.works({
      can,
      place: probe.place,
      toolModel: probe.wiring.toolModel ?? probe.wiring.model,
      attempt: (asked, taking) => takePart({ ...way, ...asked }, taking, options, probe),
    });
    return { ...found, outcome: works ? "works" : "fails" };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...found, outcome: "inconclusive", why: error.message.slice(0, MAX_WHY_CHARS) };
  }
}

const MAX_WHY_CHARS = 300;

/** One run in which the probe answers, or interrupts. */
async function takePart(
  asked: Partial<RunOptions> & { readonly prompt: string },
  { script, answer, interrupts }: Taking = {},
  options: ProbeOptions,
  probe: Probe,
): Promise<FeatureRun> {
  const { sim } = probe;
  sim.clear();
  sim.setScript(script);
  try {
    const run = options.run(runOptions(asked, options, probe));
    const events: CodingAgentEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (interrupts && event.type === "text-delta") await run.interrupt?.();
      if (event.type !== "approval-requested" || !answer) continue;
      const said = answer(event);
      await ("deny" in said ? run.deny?.(event.id, said.deny) : run.approve?.(event.id, said.approve));
    }
    const ended = events.findLast((event) => event.type === "run-ended");
    if (!ended) throw new ProbeInconclusive("the run did not end");
    return { events, requests: [...sim.requests], ended };
  } finally {
    sim.setScript(undefined);
  }
}

function runOptions(
  asked: Partial<RunOptions> & { readonly prompt: string },
  { declared, timeoutMs = RUN_TIMEOUT_MS }: ProbeOptions,
  { place, wiring }: Probe,
): RunOptions {
  const base = { agent: declared.agent, model: wiring.model, cwd: place.cwd, env: wiring.env, timeoutMs };
  return { ...base, ...asked };
}

function observe(scenario: Scenario, options: ProbeOptions, probe: Probe) {
  return scenario.observe({
    declared: options.declared,
    place: probe.place,
    wiring: probe.wiring,
    attempt: (asked) => attempt(asked, options, probe),
  });
}

async function attempt(
  asked: Partial<RunOptions> & { readonly prompt: string },
  options: ProbeOptions,
  probe: Probe,
): Promise<ProbeRunSeen> {
  const { sim } = probe;
  sim.clear();
  const events: CodingAgentEvent[] = [];
  for await (const event of options.run(runOptions(asked, options, probe))) events.push(event);
  const ended = events.findLast((event) => event.type === "run-ended");
  if (ended?.outcome !== "done") {
    throw new ProbeInconclusive(
      `the run ended as ${ended?.outcome ?? "nothing"}: ${ended?.message ?? "no reason given"}`,
    );
  }
  const started = events.find((event) => event.type === "run-started");
  return { events, requests: [...sim.requests], sessionId: ended.sessionId ?? started?.sessionId };
}

export function differencesOf(
  declared: CodingAgentCapabilities,
  observed: ProbeReport["observed"],
): ProbeDifference[] {
  return Object.entries(observed).flatMap(([name, seen]) => {
    const field = name as ObservedField;
    return declared[field] === seen ? [] : [{ field, declared: declared[field], observed: seen }];
  });
}
