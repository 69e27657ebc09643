/**
 * Two more catalogs: the tools of seven and of nine public MCP servers, as their packages list them, read by the same loader as an installed one. The
 * packages are installed outside the repository at fixed versions; listing tools needs no account, so their keys are made up.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Capability } from "@capstan/core";
import { openMcp } from "@capstan/runtime";

interface PublicServer {
  readonly id: string;
  readonly version: string;
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
}

const SERVERS: readonly PublicServer[] = [
  {
    id: "maps",
    version: "@modelcontextprotocol/server-google-maps@0.6.2",
    bin: "mcp-server-google-maps",
    env: { GOOGLE_MAPS_API_KEY: "none" },
  },
  { id: "airbnb", version: "@openbnb/mcp-server-airbnb@0.3.0", bin: "mcp-server-airbnb", env: {} },
  {
    id: "trello",
    version: "@delorenj/mcp-server-trello@1.8.1",
    bin: "mcp-server-trello",
    env: { TRELLO_API_KEY: "none", TRELLO_TOKEN: "none", TRELLO_BOARD_ID: "none" },
  },
  {
    id: "gitlab",
    version: "@modelcontextprotocol/server-gitlab@2025.4.25",
    bin: "mcp-server-gitlab",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  {
    id: "slack",
    version: "@modelcontextprotocol/server-slack@2025.4.25",
    bin: "mcp-server-slack",
    env: { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "T1" },
  },
  {
    id: "gcal",
    version: "@cocal/google-calendar-mcp@2.6.3",
    bin: "google-calendar-mcp",
    env: { GOOGLE_OAUTH_CREDENTIALS: "credentials.json" },
  },
  {
    id: "airtable",
    version: "airtable-mcp-server@1.14.0",
    bin: "airtable-mcp-server",
    env: { AIRTABLE_API_KEY: "none" },
  },
];

/** Of the second set of tasks. */
const MORE_SERVERS: readonly PublicServer[] = [
  {
    id: "github",
    version: "@modelcontextprotocol/server-github@2025.4.8",
    bin: "mcp-server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  { id: "kubernetes", version: "mcp-server-kubernetes@4.1.7", bin: "mcp-server-kubernetes", env: {} },
  {
    id: "brave",
    version: "@modelcontextprotocol/server-brave-search@0.6.2",
    bin: "mcp-server-brave-search",
    env: { BRAVE_API_KEY: "none" },
  },
  {
    id: "linear",
    version: "linear-mcp-server@0.1.0",
    bin: "linear-mcp-server",
    env: { LINEAR_API_KEY: "none" },
  },
  { id: "discord", version: "discord-mcp@2.4.0", bin: "discord-mcp", env: { DISCORD_TOKEN: "none" } },
  { id: "tavily", version: "tavily-mcp@0.2.22", bin: "tavily-mcp", env: { TAVILY_API_KEY: "none" } },
  {
    id: "firecrawl",
    version: "firecrawl-mcp@3.26.0",
    bin: "firecrawl-mcp",
    env: { FIRECRAWL_API_KEY: "none" },
  },
  { id: "todoist", version: "todoist-mcp@1.3.4", bin: "todoist-mcp", env: { API_KEY: "none" } },
  {
    id: "hubspot",
    version: "@hubspot/mcp-server@0.4.0",
    bin: "mcp-hubspot",
    env: { PRIVATE_APP_ACCESS_TOKEN: "none" },
  },
];
const SETS = { first: SERVERS, second: MORE_SERVERS };
const CREDENTIALS = {
  installed: { client_id: "none", client_secret: "none", redirect_uris: ["http://localhost/"] },
};

const folder = join(
  process.env.CAPSTAN_CLIENTS_CACHE ?? join(homedir(), ".cache/capstan-clients"),
  "task-servers",
);

/** Installs what is missing, asks each server for its tools and ends it. */
export async function publicServers(set: keyof typeof SETS = "first"): Promise<Capability[]> {
  install(SETS[set]);
  return Promise.all(SETS[set].map(capabilityOf));
}

function install(servers: readonly PublicServer[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "credentials.json"), JSON.stringify(CREDENTIALS));
  const missing = servers.filter(({ bin }) => !existsSync(join(folder, "node_modules/.bin", bin)));
  if (missing.length === 0) return;
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const versions = missing.map(({ version }) => version);
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...versions], {
    cwd: folder,
    stdio: "inherit",
  });
}

async function capabilityOf({ id, bin, env }: PublicServer): Promise<Capability> {
  const opened = await openMcp(
    {
      command: process.execPath,
      args: [join(folder, "node_modules/.bin", bin)],
      env: Object.fromEntries(
        Object.entries(env).map(([name, value]) => [
          name,
          value === "credentials.json" ? join(folder, value) : value,
        ]),
      ),
      cwd: folder,
    },
    { id, fetch: () => Promise.reject(new Error("listing tools needs no network")) },
  );
  if (!opened.ok) throw new Error(`${id}: ${opened.failure.message}`);
  await opened.value.close();
  return opened.value.capability;
}
