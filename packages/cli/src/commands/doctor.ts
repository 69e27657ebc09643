/** capstan doctor: which coding agents are installed and logged in, and (with --probe) whether they do what they claim. */
import { type AgentDiagnosis, isProbeClean, type ProbeReport } from "@capstan/coding-agents";
import type { Command, CommandContext } from "../command.ts";
import { openLocalAgents, refuseUnknown } from "../local-agents.ts";
import { printTable } from "../print-table.ts";

/** A probe found a difference, was inconclusive, or could not be made: none is a success. */
const NOT_CLEAN = 3;

export const doctor: Command = {
  usage: "capstan doctor [agent ...] [--probe] | capstan doctor --security",
  summary:
    "Checks the coding agents on this machine. --probe runs each against a simulated model, over each transport; the exit code is 3 when something differs, is inconclusive or cannot be probed. --security shows the server's security guarantees.",
  options: { probe: { type: "boolean" }, security: { type: "boolean" } },
  async run(context) {
    if (context.options.security) return printSecurity(context);
    const wanted = context.args;
    const unknown = refuseUnknown(wanted);
    if (unknown) return unknown;
    const { doctor } = await openLocalAgents(context.environment);
    const found =
      wanted.length > 0
        ? await Promise.all(wanted.map((agent) => doctor.check(agent)))
        : await doctor.checkAll();
    const probes = context.options.probe ? await probeAll(context, found, doctor.probe) : [];
    const asked = wanted.length > 0 ? found : found.filter(({ installed }) => installed);
    const missed = context.options.probe ? asked.filter((one) => !isProbed(one, probes)) : [];
    const { columns } = context.terminal;
    const not_probed = missed.map((one) => ({ agent: one.agent, why: whyNotProbed(one) }));
    context.print({ agents: found, probes, not_probed }, () =>
      [
        described(found, probes, columns),
        ...not_probed.map(({ agent, why }) => `${agent}: not probed, ${why}\n`),
      ].join(""),
    );
    return probes.every(isProbeClean) && missed.length === 0 ? 0 : NOT_CLEAN;
  },
};

const isProbed = ({ agent }: AgentDiagnosis, probes: readonly ProbeReport[]): boolean =>
  probes.some((report) => report.agent === agent);

const whyNotProbed = ({ installed, version }: AgentDiagnosis): string => {
  if (!installed) return "it is not installed";
  return version === undefined ? "it does not tell its version" : "it cannot be pointed at a simulated model";
};

/** Exits with 1 when a guarantee does not hold, for scripts. */
async function printSecurity({ server, print }: CommandContext) {
  const answer = await (await server()).server.status();
  if (!answer.ok) return answer;
  const { security } = answer.value;
  const lines = security.map(({ what, holds, detail, next_step }) => {
    const line = `${holds ? "yes" : "NO "}  ${what}: ${detail}\n`;
    return next_step === undefined ? line : `${line}     ${next_step}\n`;
  });
  print({ security }, lines.join(""));
  return security.every(({ holds }) => holds) ? 0 : 1;
}

async function probeAll(
  { terminal, json }: CommandContext,
  found: readonly AgentDiagnosis[],
  probe: (agent: string, onProgress: (scenario: string) => void) => Promise<ProbeReport | null>,
): Promise<ProbeReport[]> {
  const reports: ProbeReport[] = [];
  for (const { agent, installed } of found) {
    if (!installed) continue;
    const report = await probe(agent, (scenario) =>
      json ? undefined : terminal.err(`${agent}: ${scenario}\n`),
    );
    if (report) reports.push(report);
  }
  return reports;
}

function described(
  found: readonly AgentDiagnosis[],
  probes: readonly ProbeReport[],
  columns: number,
): string {
  const rows = found.map(({ agent, installed, version, standing, login, problem, nextStep }) => [
    agent,
    installed ? (version ?? "installed") : "not installed",
    installed ? (standing ?? "") : "",
    login.found ? `login by ${login.by.join(", ")}` : "no login found",
    [problem, nextStep].filter((text) => text !== undefined).join(" "),
  ]);
  const head = ["AGENT", "VERSION", "TESTED", "LOGIN", "NOTE"];
  return [printTable([head, ...rows], Math.max(columns, 120)), ...probes.flatMap(findings)].join("");
}

function findings(report: ProbeReport): string[] {
  const { agent, differences, inconclusive, features } = report;
  const open = features.filter(({ outcome }) => outcome === "fails" || outcome === "inconclusive");
  return [
    ...open.map(
      ({ transport, feature, outcome, why }) =>
        `${agent} over ${transport}: ${feature} ${outcome}${why ? `: ${why}` : ""}\n`,
    ),
    ...differences.map(
      ({ field, declared, observed }) =>
        `${agent}: ${field} is declared ${declared}, but observed ${observed}\n`,
    ),
    ...inconclusive.map(({ scenario, why }) => `${agent}: ${scenario} could not be tried: ${why}\n`),
    ...(isProbeClean(report) ? [`${agent}: everything tested is as declared\n`] : []),
  ];
}
