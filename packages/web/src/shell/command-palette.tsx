/** Everything by name: screens, agents, conversations, capabilities, settings and actions. */
import { Command } from "cmdk";
import { type RefObject, useDeferredValue, useState } from "react";
import { useLocation } from "wouter";
import { Dialog } from "../kit/dialog.tsx";
import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";
import { useAgents, useCapabilities } from "../server/reads.ts";
import { GROUPS } from "./navigation.tsx";
import { matchScore } from "./palette-match.ts";
import { setTheme } from "./theme.ts";

interface Entry {
  readonly name: string;
  /** More words by which it is found. */
  readonly also?: string;
  readonly hint?: string;
  readonly href?: string;
  readonly run?: () => void;
}

/** More words for screens of the navigation. */
const ALSO: Readonly<Record<string, string>> = {
  "/approvals": "inbox waiting",
  "/sessions": "conversations runs traces",
  "/usage": "tokens cost spend slow failing tools export csv",
  "/rules": "policies allow deny",
  "/budgets": "limits spending alerts",
  "/experiments": "evals scores variants regressions",
  "/memories": "facts",
  "/capabilities": "tools",
  "/route": "task match",
  "/coding-agents": "claude codex gemini copilot",
  "/schedules": "cron",
  "/packages": "install",
  "/connections": "accounts oauth",
};

const PLACES: readonly Entry[] = [
  ...GROUPS.flat().map(({ href, label }) => ({ name: label, also: ALSO[href] ?? "", href })),
  { name: "Failed sessions", also: "errors", href: "/sessions?status=failed" },
  { name: "Datasets", also: "cases items", href: "/experiments/datasets" },
  { name: "Replays", also: "recorded runs again", href: "/experiments/replays" },
  { name: "Monitors", also: "live scores drift alerts", href: "/experiments/live" },
  { name: "Review answers", also: "human scores", href: "/experiments/review" },
  { name: "Telemetry", also: "latency", href: "/route/telemetry" },
  { name: "Services", href: "/packages/services" },
  { name: "Triggers", href: "/packages/triggers" },
];

const SETTINGS: readonly Entry[] = [
  { name: "Models and providers", also: "api key ollama openai anthropic", href: "/settings/models" },
  { name: "API keys", href: "/settings/keys" },
  { name: "Tokens", also: "clients mcp", href: "/settings/tokens" },
  { name: "Logins", also: "sign in openid", href: "/settings/logins" },
  { name: "Users and scopes", also: "permissions", href: "/settings/users" },
  { name: "Audit log", href: "/settings/audit" },
  { name: "This server", also: "version about", href: "/settings/about" },
];

interface CommandPaletteProps {
  /** What was typed while this was loading; taken over and cleared. */
  early: RefObject<string | undefined>;
  onClose: () => void;
  onShortcuts: () => void;
}

export function CommandPalette({ early, onClose, onShortcuts }: CommandPaletteProps) {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const takeEarly = () => {
    const typed = early.current ?? "";
    early.current = undefined;
    setText((since) => since + typed);
  };
  const searched = useDeferredValue(text.trim());
  const agents = useAgents().data?.items ?? [];
  const capabilities = useCapabilities().data?.items ?? [];
  const actions: Entry[] = [
    { name: "New chat", href: "/chat" },
    { name: "New agent", also: "create", href: "/agents/new" },
    { name: "Show keyboard shortcuts", also: "help keys", run: onShortcuts },
    { name: "Light theme", also: "appearance", run: () => setTheme("light") },
    { name: "Dark theme", also: "appearance", run: () => setTheme("dark") },
    { name: "API reference", also: "docs openapi", run: () => window.open("/docs", "_blank") },
  ];
  const choose = ({ href, run }: Entry) => {
    onClose();
    run?.();
    if (href !== undefined) go(href);
  };
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <Command
        label="Commands"
        className="flex flex-col gap-2"
        loop
        filter={(_value, typed, [name = "", also] = []) => matchScore(typed, name, also)}
      >
        <Command.Input
          autoFocus
          onFocus={takeEarly}
          value={text}
          onValueChange={setText}
          placeholder="Search agents, chats, capabilities, settings, actions"
          className="h-9 w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-sm"
        />
        <Command.List className="scroll-quiet max-h-[55dvh] overflow-y-auto [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-soft">
          <Command.Empty className="p-3 text-ink-soft">No matches.</Command.Empty>
          <Entries heading="Actions" entries={actions} onChoose={choose} />
          <Entries heading="Screens" entries={PLACES} onChoose={choose} />
          <Chats text={searched} onChoose={choose} />
          <Entries
            heading="Agents"
            entries={agents.flatMap(({ id, name }) => [
              { name: `Chat with ${name}`, href: `/chat?agent=${id}` },
              { name: `Edit ${name}`, href: `/agents/${id}` },
            ])}
            onChoose={choose}
          />
          <Entries heading="Settings" entries={SETTINGS} onChoose={choose} />
          {searched !== "" && (
            <Entries
              heading="Capabilities"
              entries={capabilities.map(({ id, name, description }) => ({
                name,
                also: `${id} ${description}`,
                href: `/capabilities/${id}`,
              }))}
              onChoose={choose}
            />
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

interface EntriesProps {
  heading: string;
  entries: readonly Entry[];
  onChoose: (entry: Entry) => void;
}

function Entries({ heading, entries, onChoose }: EntriesProps) {
  if (entries.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {entries.map((entry) => (
        <Command.Item
          key={`${entry.name} ${entry.href ?? ""}`}
          value={`${heading} ${entry.name} ${entry.href ?? ""}`}
          keywords={[entry.name, entry.also ?? ""]}
          onSelect={() => onChoose(entry)}
          className="flex cursor-pointer items-center justify-between gap-3 rounded-lg px-2 py-1.5 data-[selected=true]:bg-sunken"
        >
          <span className="truncate">{entry.name}</span>
          {entry.hint && <span className="truncate text-xs text-ink-faint">{entry.hint}</span>}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

const SHOWN_CHATS = 8;

/** The latest conversations; once something is typed, a search over all text. */
function Chats({ text, onChoose }: { text: string; onChoose: (entry: Entry) => void }) {
  const latest = useRead(["sessions", "recent", false], (signal) =>
    api.sessions.list({ limit: 60, archived: "false" }, signal),
  );
  const found = useRead(["sessions", "search", text], (signal) => api.sessions.search(text, signal), {
    enabled: text !== "",
    keepPrevious: true,
  });
  const items = text === "" ? (latest.data?.items ?? []) : (found.data?.items ?? []);
  return (
    <Entries
      heading="Conversations"
      entries={items.slice(0, SHOWN_CHATS).map((item) => ({
        name: item.title || "New conversation",
        also: text, // found by the server's full-text search
        hint: "excerpt" in item ? item.excerpt.replaceAll(/[«»]/g, "") : "",
        href: `/chat/${item.id}`,
      }))}
      onChoose={onChoose}
    />
  );
}
