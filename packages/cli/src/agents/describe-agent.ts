/** One agent for other programs: as a skill, as a section of AGENTS.md, and as an entry of `.mcp.json`. Pure. */
import type { Agent, AgentPreview } from "@capstan/client";
import { stringify } from "yaml";
import { jsonDocument } from "../json-text.ts";

export interface Described {
  readonly agent: Agent;
  readonly preview: AgentPreview;
  readonly serverUrl: string;
}

/** The file of each form, below the given folder. */
export interface WrittenForm {
  readonly path: string;
  readonly text: string;
}

export const FORMS: Readonly<Record<string, (described: Described) => WrittenForm>> = {
  skill: (described) => ({ path: `${slug(described.agent)}/SKILL.md`, text: skill(described) }),
  "agents-md": (described) => ({ path: "AGENTS.md", text: agentsMd(described) }),
  "mcp-json": (described) => ({ path: ".mcp.json", text: mcpJson(described) }),
};

const NAME_CHARS = 64; // of a skill
const DESCRIPTION_CHARS = 1024;

/** A skill's name: small letters, digits and single dashes. */
export function slug({ name, id }: Pick<Agent, "name" | "id">): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_CHARS)
    .replace(/^-+|-+$/g, "");
  return plain === "" ? `agent-${id.slice(-12)}` : plain;
}

function skill({ agent, preview, serverUrl }: Described): string {
  const named = preview.capabilities.filter(({ excluded }) => !excluded).map(({ name }) => name);
  const does = named.length > 0 ? `Use it for: ${named.join(", ")}.` : "";
  const description = [agent.description || `The agent ${agent.name}.`, does].join(" ").trim();
  const front = stringify(
    { name: slug(agent), description: description.slice(0, DESCRIPTION_CHARS) },
    { lineWidth: 0 },
  );
  const prompt = preview.system_prompt === "" ? [] : [preview.system_prompt, ""];
  return [
    ...["---", front.trimEnd(), "---", "", `# ${agent.name}`, ""],
    ...prompt,
    ...[
      "## Tools",
      "",
      `They are served over MCP at ${mcpUrl(agent, serverUrl)}.`,
      "",
      ...toolLines(preview),
    ],
    "",
  ].join("\n");
}

function agentsMd({ agent, preview, serverUrl }: Described): string {
  return [
    ...[`## ${agent.name}`, "", ...(agent.description ? [agent.description, ""] : [])],
    `Its tools are served over MCP at ${mcpUrl(agent, serverUrl)}; every call is checked, and some require approval.`,
    ...["", ...toolLines(preview), ""],
  ].join("\n");
}

const ASKS: Readonly<Record<string, string>> = {
  approve: " (requires approval)",
  client: " (yours to do)",
};

const toolLines = ({ tools }: AgentPreview): string[] =>
  tools.length === 0
    ? ["It has no tools."]
    : tools.map(({ name, description, policy }) => {
        const [first = ""] = description.split("\n");
        return `- \`${name}\`${ASKS[policy] ?? ""}: ${first}`;
      });

/** Without a token only a server on this machine answers; the token is read from the environment, never written. */
function mcpJson({ agent, serverUrl }: Described): string {
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(serverUrl).hostname);
  const entry = local
    ? { type: "http", url: mcpUrl(agent, serverUrl) }
    : {
        type: "http",
        url: `${serverUrl}/mcp`,
        headers: { Authorization: `Bearer \${${tokenName(agent)}}` },
      };
  return jsonDocument({ mcpServers: { [slug(agent)]: entry } });
}

const tokenName = (agent: Agent): string => `CAPSTAN_TOKEN_${slug(agent).replaceAll("-", "_").toUpperCase()}`;
const mcpUrl = ({ id }: Agent, serverUrl: string): string => `${serverUrl}/mcp?agent=${id}`;
