/**
 * The probe: runs the real CLI against a simulated model and compares what it did with what its manifest declares.
 *
 * It has a home of its own and never uses the user's login. Give it a `run` whose client was made with an environment of PATH
 * alone, so that no provider setting of the user's leads it elsewhere.
 */
import type { CodingAgentCapabilities, CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import { type Sim, startSim } from "../sim/sim-server.ts";
import type { SimWiring } from "../sim/sim-wiring.ts";
import { wireToSim } from "../sim/sim-wiring.ts";
import { makeProbePlace, type ProbePlace } from "./probe-place.ts";
import {
  type ObservedField,
  ProbeInconclusive,
  type ProbeRunSeen,
  SCENARIOS,
  type Scenario,
} from "./probe-scenarios.ts";

export type ProbeRun = (options: RunOptions) => AsyncIterable<CodingAgentEvent>;

export interface ProbeReport {
  readonly agent: string;
  readonly version: string;
  /** ISO 8601 timestamp. */
  readonly date: string;
  readonly observed: Readonly<Partial<Record<ObservedField, boolean>>>;
  readonly differences: readonly ProbeDifference[];
  /** What could not be tried, and why. */
  readonly inconclusive: readonly { readonly scenario: string; readonly why: string }[];
}

export interface ProbeDifference {
  readonly field: ObservedField;
  readonly declared: boolean;
  readonly observed: boolean;
}

export interface ProbeOptions {
  readonly declared: CodingAgentCapabilities;
  readonly version: string;
  readonly run: ProbeRun;
  readonly now: () => Date;
  readonly onProgress?: (scenario: string) => void;
  readonly timeoutMs?: number;
}

const RUN_TIMEOUT_MS = 90_000; // OpenClaw needs up to 25 s a run
const PIECE_MS = 15; // apart enough that a CLI cannot join two pieces into one by accident

/** Null for an agent that cannot be pointed at another model. */
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
      inconclusive.push({ scenario: scenario.name, why: error.message.slice(0, 300) });
    }
  }
  return {
    agent: declared.agent,
    version,
    date: now().toISOString(),
    observed,
    differences: differencesOf(declared, observed),
    inconclusive,
  };
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
  { declared, run, timeoutMs = RUN_TIMEOUT_MS }: ProbeOptions,
  { place, sim, wiring }: Probe,
): Promise<ProbeRunSeen> {
  sim.clear();
  const events: CodingAgentEvent[] = [];
  const options: RunOptions = {
    agent: declared.agent,
    model: wiring.model,
    cwd: place.cwd,
    env: wiring.env,
    timeoutMs,
    ...asked,
  };
  for await (const event of run(options)) events.push(event);
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
