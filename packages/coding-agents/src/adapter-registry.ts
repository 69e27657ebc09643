/** A client's adapters: the ten built-in ones, and those a user registers. */
import { fail } from "@capstan/core";
import {
  type AgentName,
  type AgentPlatform,
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type InstallMethod,
  RunRefusedError,
} from "@capstan/core/internal";
import { BUILT_IN_ADAPTERS } from "./built-in/built-in-agents.ts";
import type { CommandRunner } from "./command/run-command.ts";
import { findCommand } from "./runner/find-command.ts";

const VERSION_TIMEOUT_MS = 30_000; // OpenClaw needs ten seconds to print its version

export interface DetectedAgent {
  readonly agent: AgentName;
  /** Detected by running it: an existing command may be a stub. */
  readonly installed: boolean;
  readonly version?: string;
  readonly path?: string;
}

export interface AdapterRegistry {
  list(): readonly CodingAgentAdapter[];
  /** Throws for an unknown name. */
  get(agent: AgentName): CodingAgentAdapter;
  /** The adapter's own frozen object: `capabilities(x) === get(x).capabilities`. */
  capabilities(agent: AgentName): CodingAgentCapabilities;
  installInstructions(agent: AgentName, platform?: AgentPlatform): readonly InstallMethod[];
  detect(agent: AgentName): Promise<DetectedAgent>;
  /** Adds an adapter, or replaces the one of its name. */
  register(adapter: CodingAgentAdapter): void;
}

export interface RegistryEffects {
  readonly run: CommandRunner;
  readonly env: Readonly<Record<string, string>>;
}

export function createAdapterRegistry({ run, env }: RegistryEffects): AdapterRegistry {
  const adapters = new Map<string, CodingAgentAdapter>(Object.entries(BUILT_IN_ADAPTERS));
  const get = (agent: AgentName): CodingAgentAdapter => {
    const adapter = adapters.get(agent);
    if (adapter) return adapter;
    throw new RunRefusedError(fail("coding_agent_unknown", { agent, known: [...adapters.keys()] }).failure);
  };
  return {
    list: () => [...adapters.values()],
    get,
    capabilities: (agent) => get(agent).capabilities,
    installInstructions: (agent, platform = process.platform as AgentPlatform) =>
      get(agent).capabilities.installMethods.filter(
        (method) => method.platform === "all" || method.platform === platform,
      ),
    async detect(agent) {
      const { commands, versionArgs, versionPattern } = get(agent);
      const path = await findCommand(commands, env.PATH);
      if (path === undefined) return { agent, installed: false };
      const { outcome, stdout, stderr } = await run([path, ...versionArgs], {
        env,
        timeoutMs: VERSION_TIMEOUT_MS,
      });
      const version = outcome === "exited" ? versionPattern.exec(`${stdout}\n${stderr}`)?.[1] : undefined;
      return version === undefined
        ? { agent, installed: false, path }
        : { agent, installed: true, version, path };
    },
    register(adapter) {
      adapters.set(adapter.name, adapter);
    },
  };
}
