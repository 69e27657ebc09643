/** An agent's A2A card: its capabilities document in A2A's terms, with the routing hints of its capabilities as skills. */
import { AgentCard } from "@a2a-js/sdk";
import type { AgentCapabilities, Capability } from "@capstan/core";

export const A2A_VERSIONS = ["1.0", "0.3"] as const;

export interface CardParts {
  readonly declared: AgentCapabilities;
  /** Composed capabilities, by id. */
  readonly capability: (id: string) => Capability | undefined;
  readonly url: string;
  /** Whether callers need a key. */
  readonly needsKey: boolean;
}

const MEDIA: Readonly<Record<string, readonly string[]>> = {
  image: ["image/png", "image/jpeg", "image/webp", "image/gif"],
  audio: ["audio/mpeg", "audio/wav"],
  video: ["video/mp4"],
  pdf: ["application/pdf"],
  file: ["application/octet-stream"],
};

export function agentCard({ declared, capability, url, needsKey }: CardParts): AgentCard {
  const { identity, transport, output } = declared;
  const inputs = Object.entries(declared.multimodal?.input ?? {}).flatMap(([kind, isRead]) =>
    isRead ? (MEDIA[kind] ?? []) : [],
  );
  return {
    name: identity.name,
    description: identity.description ?? `The agent ${identity.name}.`,
    version: identity.version,
    supportedInterfaces: A2A_VERSIONS.map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      tenant: "",
      protocolVersion,
    })),
    provider:
      identity.provider === undefined
        ? undefined
        : { organization: identity.provider, url: identity.documentationUrl ?? url },
    ...(identity.documentationUrl !== undefined && { documentationUrl: identity.documentationUrl }),
    capabilities: {
      streaming: transport.streaming,
      pushNotifications: false, // ours are webhooks of messages, not those of A2A
      extendedAgentCard: false,
      extensions: [],
    },
    securitySchemes: needsKey ? { key: BEARER } : {},
    securityRequirements: needsKey ? [{ schemes: { key: { list: [] } } }] : [],
    defaultInputModes: ["text/plain", "application/json", ...inputs],
    defaultOutputModes: [...(output?.supportedMimeTypes ?? ["text/plain"])],
    skills: skillsOf(declared, capability),
    signatures: [],
  };
}

const BEARER: AgentCard["securitySchemes"][string] = {
  scheme: {
    $case: "httpAuthSecurityScheme",
    value: { description: "An API key of the server.", scheme: "Bearer", bearerFormat: "" },
  },
};

/** A card must have at least one skill: an agent without capabilities can still chat. */
function skillsOf({ identity, custom }: AgentCapabilities, capability: CardParts["capability"]) {
  const skills = custom.capabilities.map(({ id }) => {
    const { name = id, description = id, routing } = capability(id) ?? {};
    const { tags = [], triggers = [], domain } = routing ?? {};
    return skill(id, name, description, [...tags, ...(domain ? [domain] : [])], triggers);
  });
  if (skills.length > 0) return skills;
  return [skill("conversation", identity.name, identity.description ?? "Answers.", [], [])];
}

const skill = (
  id: string,
  name: string,
  description: string,
  tags: readonly string[],
  examples: readonly string[],
): AgentCard["skills"][number] => ({
  id,
  name,
  description,
  tags: tags.length > 0 ? [...tags] : ["general"],
  examples: [...examples],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
});

/** The card as JSON; clients of 0.3 also read the address from its top level. */
export function cardJson(card: AgentCard): Record<string, unknown> {
  const url = card.supportedInterfaces[0]?.url;
  return {
    ...(AgentCard.toJSON(card) as Record<string, unknown>),
    url,
    preferredTransport: "JSONRPC",
    protocolVersion: "0.3.0",
  };
}
