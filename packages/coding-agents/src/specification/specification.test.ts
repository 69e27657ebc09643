/** Every name of the specification can be imported, has its form, and its samples compile. The types are checked by the compiler. */
import { describe, expect, test } from "vitest";
import type {
  AdapterRegistry,
  AgentAdapter,
  AgentEvent,
  AgentMuxClient,
  AuthState,
  BaseEvent,
  ErrorCode,
  InstalledPlugin,
  McpServerConfig,
  PluginInstallOptions,
  PluginListing,
  PluginSearchOptions,
  RunHandle,
  RunOptions,
} from "../index.ts";
import * as exported from "../index.ts";
import type * as Specified from "./specification-types.ts";

/** The specification calls its objects immutable and writes their lists as if they were not. */
type Frozen<T> = T extends (...given: infer Given) => infer Answer
  ? (...given: Given) => Frozen<Answer>
  : T extends Promise<unknown> | Date
    ? T
    : T extends object
      ? { readonly [Key in keyof T]: Frozen<T[Key]> }
      : T;
type Fits<Ours, Theirs> = Ours extends Frozen<Theirs> ? true : false;
type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** What compiles only if ours can stand wherever the specification's is read. */
const FORMS: readonly true[] = [
  true satisfies Fits<exported.AgentCapabilities, Specified.AgentCapabilities>,
  true satisfies Fits<exported.ModelCapabilities, Specified.ModelCapabilities>,
  true satisfies Fits<exported.ModelRegistry, Specified.ModelRegistry>,
  true satisfies Fits<exported.ModelValidationResult, Specified.ModelValidationResult>,
  true satisfies Fits<exported.CapabilityError, Specified.CapabilityError>,
  true satisfies Same<exported.PluginRegistry, Frozen<Specified.PluginRegistry>>,
  true satisfies Same<exported.InstallMethod, Frozen<Specified.InstallMethod>>,
  true satisfies Same<exported.PluginFormat, Specified.PluginFormat>,
  true satisfies Same<exported.ThinkingEffortLevel, Specified.ThinkingEffortLevel>,
  true satisfies Same<Exclude<Ten, exported.BuiltInAgentName>, never>,
];
type Ten =
  | ("claude" | "codex" | "gemini" | "copilot" | "cursor")
  | ("opencode" | "pi" | "omp" | "openclaw" | "hermes");

/** Named in its cross-references without a form: they exist, and are what our own functions take and return. */
interface Named {
  client: AgentMuxClient;
  adapters: AdapterRegistry;
  adapter: AgentAdapter;
  event: AgentEvent;
  base: BaseEvent;
  code: ErrorCode;
  login: AuthState;
  plugin: InstalledPlugin;
  listing: PluginListing;
  server: McpServerConfig;
  run: (options: RunOptions) => RunHandle;
  install: (options: PluginInstallOptions) => Promise<string>;
  search: (options: PluginSearchOptions) => Promise<PluginListing[]>;
}
const isEvent = (event: AgentEvent): BaseEvent => event;
const named = (mux: AgentMuxClient): Pick<Named, "client" | "adapters" | "run" | "install" | "search"> => ({
  client: mux,
  adapters: mux.adapters,
  run: (options) => mux.run(options),
  install: (options) => mux.plugins.install("claude", "tides", options),
  search: (options) => mux.plugins.search("claude", "tides", options),
});

describe("the specification", () => {
  test("its forms are those of the exports", () => {
    expect(new Set(FORMS)).toEqual(new Set([true]));
    expect(isEvent({ type: "text-delta", text: "" }).type).toBe("text-delta");
    expect(Object.keys(named(exported.createClient({ environment: {} })))).toHaveLength(5);
  });

  test("its errors have one base class and codes", () => {
    const error = new exported.CapabilityError("claude", "thinking", "no");
    expect(error).toBeInstanceOf(exported.AgentMuxError);
    expect(error).toMatchObject({ code: "CAPABILITY_ERROR", agent: "claude", capability: "thinking" });
    for (const one of [exported.ValidationError, exported.RunRefusedError])
      expect(one.prototype).toBeInstanceOf(exported.AgentMuxError);
    expect(exported.RUN_ERROR_CODES).toContain("coding_agent_rate_limited");
  });

  test("its samples run", () => {
    const mux = exported.createClient({ environment: {} });
    const caps = mux.adapters.capabilities("claude");
    expect(caps.supportsThinking).toBe(true);
    const adapter = mux.adapters.get("claude");
    expect(adapter.capabilities).toBe(caps);
    const model = mux.models.defaultModel("claude");
    const thinkingCost = (10_000 / 1_000_000) * (model?.thinkingPricePerMillion ?? 0);
    expect(thinkingCost).toBeGreaterThanOrEqual(0);
    const cost = mux.models.estimateCost("claude", model?.modelId ?? "", 1_000_000, 1_000_000);
    expect(cost).toBe((model?.inputPricePerMillion ?? 0) + (model?.outputPricePerMillion ?? 0));
    const options: RunOptions = {
      agent: "claude",
      prompt: "x",
      thinkingEffort: "high",
      thinkingOverride: { budget_tokens: 50_000, some_future_param: true },
    };
    expect(() => mux.run({ ...options, agent: "hermes" })).toThrow(
      "Agent 'hermes' does not support thinking/reasoning mode",
    );
  });

  test("an adapter made from its base class is registered and read like the built-in ones", () => {
    class Acme extends exported.BaseAgentAdapter {
      readonly capabilities = exported.acpAdapter({ name: "acme", command: ["acme"] }).capabilities;
      open(options: RunOptions): exported.AdapterRun {
        return { argv: ["acme", options.prompt], env: {}, files: [], ...this.read() };
      }
      read(): exported.LineReader {
        return { onLine: (text) => ({ events: [{ type: "text-delta", text }] }) };
      }
    }
    const mux = exported.createClient({ environment: {} });
    mux.adapters.register(new Acme());
    expect(mux.adapters.get("acme")).toMatchObject({ name: "acme", commands: ["acme"] });
    expect(mux.adapters.capabilities("acme").agent).toBe("acme");
    expect(() => mux.run({ agent: "acme", prompt: "x", thinkingEffort: "low" })).toThrow(
      exported.CapabilityError,
    );
  });
});
