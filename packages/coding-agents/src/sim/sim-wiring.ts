/**
 * How to point each real CLI at a simulated model: environment, files in its own home, and a model name.
 *
 * Telemetry, updates and side traffic are off. Cursor and Hermes take no other model server, so they have no row.
 */
import { join } from "node:path";

export interface SimWiring {
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly model: string;
  /** A model that takes a number of tokens, where the agent can be given one. */
  readonly budgetModel?: string;
  /** A model to which tools of MCP servers are offered one by one, where the usual one finds them by a search. */
  readonly toolModel?: string;
}

const KEY = "sk-test";

type Wire = (url: string, home: string) => SimWiring;

const WIRINGS: Readonly<Record<string, Wire>> = {
  claude: (url) => ({
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_MAX_RETRIES: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
    files: [],
    model: "claude-opus-5-5",
    budgetModel: "claude-sonnet-4-5",
  }),
  codex: (url, home) => ({
    env: { CODEX_HOME: join(home, ".codex"), CODEX_SIM_KEY: KEY },
    files: [{ path: join(home, ".codex", "config.toml"), content: codexConfig(url) }],
    model: "gpt-6.1-sol",
    toolModel: "gpt-5.5",
  }),
  gemini: (url, home) => ({
    env: {
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
    },
    files: [json(join(home, ".gemini", "settings.json"), GEMINI_SETTINGS)],
    model: "gemini-3.1-pro-preview",
    budgetModel: "gemini-2.5-pro",
  }),
  copilot: (url, home) => ({
    env: {
      COPILOT_HOME: join(home, ".copilot"),
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_PROVIDER_WIRE_API: "responses",
      COPILOT_MODEL: "gpt-5.4",
      COPILOT_AUTO_UPDATE: "false",
    },
    files: [],
    model: "gpt-5.4",
  }),
  opencode: (url, home) => ({
    env: {
      OPENCODE_CONFIG: join(home, "opencode.json"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    files: [json(join(home, "opencode.json"), opencodeConfig(url))],
    model: "openai/gpt-5.2",
    budgetModel: "anthropic/claude-sonnet-4-5",
  }),
  pi: (url, home) => ({
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_CODING_AGENT_DIR: join(home, ".pi", "agent") },
    files: [json(join(home, ".pi", "agent", "models.json"), { providers: piProviders(url) })],
    model: "openai/gpt-5.2",
  }),
  omp: (url, home) => ({
    env: { PI_OFFLINE: "1" },
    // YAML is a superset of JSON.
    files: [json(join(home, ".omp", "agent", "models.yml"), { providers: ompProviders(url) })],
    model: "sim/sim-model",
    budgetModel: "sim-budget/sim-model",
  }),
  openclaw: (url, home) => ({
    env: {
      OPENCLAW_CONFIG_PATH: join(home, "openclaw.json"),
      OPENCLAW_HIDE_BANNER: "1",
      NO_COLOR: "1",
    },
    files: [
      json(join(home, "openclaw.json"), {
        models: { mode: "merge", providers: { sim: simProvider(url) } },
        agents: { defaults: { model: { primary: "sim/sim-model" } } },
      }),
    ],
    model: "sim/sim-model",
  }),
};

/** Null for an agent that cannot be pointed anywhere else. */
export function wireToSim(agent: string, simUrl: string, home: string): SimWiring | null {
  const wiring = WIRINGS[agent]?.(simUrl, home);
  return wiring ? { ...wiring, env: { HOME: home, ...wiring.env } } : null;
}

const json = (path: string, content: unknown) => ({ path, content: JSON.stringify(content, null, 2) });

const GEMINI_SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, maxAttempts: 2 },
  telemetry: { enabled: false },
};

const codexConfig = (url: string) => `model_provider = "sim"
check_for_update_on_startup = false
[model_providers.sim]
name = "sim"
base_url = "${url}/v1"
env_key = "CODEX_SIM_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
`;

const opencodeConfig = (url: string) => {
  const options = { baseURL: `${url}/v1`, apiKey: KEY };
  return {
    autoupdate: false,
    share: "disabled",
    small_model: "openai/gpt-5.2",
    provider: { openai: { options }, anthropic: { options } },
  };
};

const piProviders = (url: string) => ({
  openai: { baseUrl: `${url}/v1`, apiKey: KEY },
  anthropic: { baseUrl: url, apiKey: KEY },
  sim: simProvider(url),
});

const ompProviders = (url: string) => ({
  sim: simProvider(url),
  "sim-budget": { ...simProvider(url), baseUrl: url, api: "anthropic-messages" },
});

const simProvider = (url: string) => ({
  baseUrl: `${url}/v1`,
  apiKey: KEY,
  api: "openai-responses",
  models: [
    {
      id: "sim-model",
      name: "Sim",
      reasoning: true,
      input: ["text", "image"],
      contextWindow: 200_000,
      maxTokens: 32_000,
      cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    },
  ],
});
