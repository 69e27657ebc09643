/** All attacks that we test, and where: a file and a part of its test's title. */
import { CONTENT_ATTACKS } from "./content-attacks.ts";
import { ORGANISATION_ATTACKS } from "./organisation-attacks.ts";
import { PEOPLE_ATTACKS } from "./people-attacks.ts";
import { type SecurityRow, SHARING_ATTACKS } from "./sharing-attacks.ts";

const SERVER = "packages/server/src";
const RUNTIME = "packages/runtime/src";
const HOSTILE = `${SERVER}/security/hostile-requests.live.test.ts`;
const FETCH = `${RUNTIME}/network/guarded-fetch.live.test.ts`;
const URLS = `${RUNTIME}/network/url-policy.test.ts`;
const REPLAY = `${SERVER}/security/secrets-and-replay.live.test.ts`;
const ROUTES = `${SERVER}/security/every-route.live.test.ts`;
const INSTALL = `${SERVER}/security/install-attacks.long.test.ts`;
const LOOPBACK = `${SERVER}/security/loopback.live.test.ts`;
const PROTOCOLS = `${SERVER}/security/every-protocol.live.test.ts`;
const HARNESS = `${SERVER}/harness/harness-users.live.test.ts`;
const STORED = `${SERVER}/security/stored-secrets.live.test.ts`;
const SECRETS = `${SERVER}/security/secrets-for-hosts.live.test.ts`;
const FOLDERS = `${RUNTIME}/sources/session-folders.live.test.ts`;
const SERVICES = `${RUNTIME}/services/service-supervisor.live.test.ts`;
const AUTHORITY = `${SERVER}/security/authority.live.test.ts`;
const AUDIT = `${SERVER}/security/audit-log.live.test.ts`;
const AUTHORS = `${SERVER}/security/author-rights.live.test.ts`;
const INJECTION = `${SERVER}/security/prompt-injection.live.test.ts`;
const NETWORK = `${SERVER}/security/network-attacks.live.test.ts`;
const SEPARATION = `${SERVER}/security/separation.live.test.ts`;
const COMMANDS = `${RUNTIME}/commands/run-command.live.test.ts`;
const TRIGGERS = `${RUNTIME}/triggers/trigger-manager.live.test.ts`;
const DEVICE = `${SERVER}/people/device-login.live.test.ts`;
const PEOPLE = `${SERVER}/people/login.live.test.ts`;
const MEMORIES = `${SERVER}/memories/memories.live.test.ts`;
const CONNECTIONS = `${SERVER}/connections/connections.live.test.ts`;
const CONNECTED = `${SERVER}/connections/connected-runs.live.test.ts`;
const MCP_LOGINS = `${SERVER}/connections/mcp-logins.live.test.ts`;
const PROTECTED = `${RUNTIME}/connections/protected-server.test.ts`;
const TOKENS = `${RUNTIME}/connections/provider-table.test.ts`;
const RULES = `${SERVER}/security/expensive-rules.test.ts`;
const ACCOUNTS = `${SERVER}/security/others-accounts.live.test.ts`;
const OWNERS = `${SERVER}/security/owners.live.test.ts`;

export const SECURITY_SUITE: readonly SecurityRow[] = [
  ...CONTENT_ATTACKS,
  ...ORGANISATION_ATTACKS,
  ...PEOPLE_ATTACKS,
  {
    attack: "SSRF by redirect",
    shownBy: [
      [FETCH, "a redirect to a private address is refused, by number and by name"],
      [`${SERVER}/capabilities/web-fetch.live.test.ts`, "of a cloud's metadata behind a redirect"],
    ],
  },
  {
    attack: "SSRF by DNS rebinding",
    shownBy: [
      [FETCH, "a name whose answer changes only reaches the checked address"],
      [FETCH, "a name that resolves to a private address is refused"],
    ],
  },
  {
    attack: "SSRF by IPv6, decimal, octal and hexadecimal hosts",
    shownBy: [
      [URLS, "refuses a private address in every spelling a URL allows"],
      [`${RUNTIME}/network/refused-address.test.ts`, "an IPv6 address that embeds a non-public IPv4 one"],
      [FETCH, "is refused unless allowed, and the server receives nothing"],
    ],
  },
  { attack: "SSRF by userinfo and other schemes", shownBy: [[URLS, "refuses %s: %s"]] },
  {
    attack: "path traversal",
    shownBy: [
      [HOSTILE, "a path would leave its place"],
      ["packages/core/src/session-path.test.ts", "10,000 random paths never leave the session"],
    ],
  },
  {
    attack: "zip slip, links and bombs in archives",
    shownBy: [
      [`${RUNTIME}/install/installer.long.test.ts`, "a wheel with a path outside the folder"],
      [`${RUNTIME}/install/installer.long.test.ts`, "a folder with a link to the outside is refused"],
      ["packages/core/src/packaging/packaging.test.ts", "refuses a zip bomb without unpacking it"],
    ],
  },
  {
    attack: "ReDoS",
    shownBy: [
      [HOSTILE, "a pattern that backtracks would hold the only thread"],
      [`${RUNTIME}/files/line-finder.test.ts`, "a pattern written to backtrack takes linear time"],
      [`${RUNTIME}/sources/json-schema.test.ts`, "cannot waste time with a pattern"],
      [RULES, "the server would stand still, or run out of memory, by %s"],
      [RULES, "by a call with a long list, where a rule compares each with each"],
    ],
  },
  {
    attack: "prototype pollution",
    shownBy: [
      [HOSTILE, "a key of a JSON body would become a member of every object"],
      [`${RUNTIME}/sources/json-schema.test.ts`, "cannot change what other objects inherit"],
    ],
  },
  {
    attack: "oversized and bottomless bodies",
    shownBy: [
      [HOSTILE, "a body without an end would fill the memory"],
      [ROUTES, "somebody without a key would make the server hold more than 1 MB"],
      [`${RUNTIME}/queues/fair-line.test.ts`, "that one owner filled still takes another owner"],
    ],
  },
  {
    attack: "header injection and request smuggling",
    shownBy: [
      [HOSTILE, "a header of ours would carry someone's second header"],
      [FETCH, "a caller cannot set the host, smuggle a second request or use another method"],
    ],
  },
  {
    attack: "CSRF against the loopback server",
    shownBy: [
      [HOSTILE, "with a form it need not ask for"],
      [HOSTILE, "a GET that changes something would be one image tag away"],
    ],
  },
  {
    attack: "DNS rebinding against the loopback server",
    shownBy: [[HOSTILE, "a page of another site would use the visitor's loopback server"]],
  },
  {
    attack: "a key without the right, on every route",
    shownBy: [
      [ROUTES, "every one is tried without a key and with each right"],
      [ROUTES, "each route of the application is in the document, or on the list of open ones"],
    ],
  },
  {
    attack: "a key of one person on the things of another",
    shownBy: [
      [OWNERS, "another person's session would be read or driven with its owner's rights"],
      [OWNERS, "another person's question would be answered by whoever knows its id"],
      [OWNERS, "another person's scopes would tell whose key is worth stealing"],
      [OWNERS, "another person's agent would be changed to use its users' rights, or taken away"],
      [OWNERS, "a schedule in another person's name would work with that person's rights"],
    ],
  },
  {
    attack: "secrets in logs, events, telemetry and files",
    shownBy: [
      [REPLAY, "a secret would be read in logs, events, telemetry or files"],
      [`${SERVER}/auth/auth.live.test.ts`, "a provider's key is never shown again and not readable"],
    ],
  },
  {
    attack: "approval replay",
    shownBy: [
      [REPLAY, "an approval that is answered again runs nothing again"],
      [REPLAY, "does not cover a call with other arguments"],
      [`${RUNTIME}/runs/approvals/approvals.live.test.ts`, "answered many times at once is executed once"],
    ],
  },
  {
    attack: "the MCP token of one run used for another",
    shownBy: [[REPLAY, "a run's token reaches that run's session and no other"]],
  },
  {
    attack: "code that runs while a package is reviewed or installed",
    shownBy: [
      [INSTALL, "would run its own program as the server's git"],
      [INSTALL, "would send the operator's token to a registry"],
      [INSTALL, "would bring code that nobody reviewed, by %s"],
      [INSTALL, "would bring code by an address through one of its dependencies"],
      [INSTALL, "would run a setup.py that one of its dependencies names by its address"],
      [INSTALL, "would hide a dependency behind a marker that is always true"],
    ],
  },
  {
    attack: "an installed package with the server's rights",
    shownBy: [
      [INSTALL, "would read the server's folder, whose mode is 0700"],
      [INSTALL, "would read it with a Python that lies in a private home"],
      [LOOPBACK, "a package would be the local admin of a server run by $server"],
      [SEPARATION, "on a server that is root in a container without namespaces, which says what is missing"],
      [SEPARATION, "on a server that is an ordinary user"],
      [
        SEPARATION,
        "on an ordinary user's server without namespaces: it does not run, and everything says why",
      ],
      [
        COMMANDS,
        "would have its own programs and libraries loaded with the server's rights, by its environment",
      ],
    ],
  },
  {
    attack: "rights that nobody gave",
    shownBy: [
      [AUTHORITY, "a key that may run agents would make agents, schedules and rights"],
      [AUTHORITY, "an author would make an agent that does more than the author may"],
      [AUTHORITY, "by changing the prompt of an agent that an admin gave more to"],
      [AUTHORITY, "by a policy of the agent that lets request_access run by itself"],
      [AUTHORITY, "by approving one's own question"],
      [AUTHORITY, "a token would be worth more than its agent"],
      [AUTHORITY, "would ask its agent as often as it likes, who calls for it"],
      [AUTHORITY, "would read what somebody else's token said to the agent, by the thread's name"],
      [PROTOCOLS, "%s lists and calls tools by its cell"],
      [PROTOCOLS, "%s calls its methods by its cell"],
      [PROTOCOLS, "%s uses the agent by its cell"],
      [PROTOCOLS, "%s types each of them by its cell"],
      [HARNESS, "would give a shell with its rights to %s: a program with own tools"],
    ],
  },
  {
    attack: "an agent that is worth more than who saved it",
    shownBy: [
      [AUTHORS, "would keep a scope that was taken from its author"],
      [AUTHORS, "would keep what an admin gave it who is none any more: scopes, a policy, and a program"],
      [AUTHORS, "would have the scopes that whatever else wrote it put in"],
      [AUTHORS, "would be used as an admin saved it once and took it back, by who chooses an old revision"],
      [AUTHORS, "would use a scope that an admin granted to it for what its owner tells it now"],
      [AUTHORS, "would do by another agent what its author may not: run a program, or skip a question"],
    ],
  },
  {
    attack: "an approval for something else",
    shownBy: [
      [AUTHORITY, "after the agent was changed: the answer does not count"],
      [AUTHORITY, "by somebody it was escalated to, with other arguments"],
    ],
  },
  {
    attack: "prompt injection",
    shownBy: [[INJECTION, "a page that gives orders would raise rights"]],
  },
  {
    attack: "traces removed from the audit log",
    shownBy: [
      [AUDIT, "would be changed or shortened"],
      [AUDIT, "would be changed by who owns the database, unseen"],
      [AUDIT, "would lose its last rows, unseen"],
      [AUDIT, "would lose them with the signature of where it ended, set back to an earlier one"],
      [AUDIT, "would be as good as new once another row is added"],
      [
        AUDIT,
        "would be set back by who has the database, the data folder and an older copy of both, unless its hash was kept",
      ],
    ],
  },
  {
    attack: "files, triggers and schedules of others",
    shownBy: [
      [AUTHORITY, "a file of the machine would be read as an attachment"],
      [AUTHORITY, "would be listed, retried or dropped"],
    ],
  },
  {
    attack: "another user of the machine on the loopback server",
    shownBy: [
      [LOOPBACK, "would be the local admin by connecting to loopback"],
      [LOOPBACK, "would be root by hanging up before the server looks"],
      [LOOPBACK, "by a tool that fetches the server, where the operator allowed the host"],
      [LOOPBACK, "by a package, where the operator named the port"],
      [LOOPBACK, "where the system does not tell who connects, a token of mode 0600 does"],
    ],
  },
  {
    attack: "a secret of the operator at a host that somebody else chose",
    shownBy: [
      [SECRETS, "a document would send it to the host that its author chose"],
      [SECRETS, "a caller or an author would choose the host by a variable in an API's address"],
      [SECRETS, "a secret in an agent's config would be read back from the API, the database or an approval"],
      [STORED, "would lie in a copy of the database until somebody saved the agent"],
      [STORED, "would stay plain when a new version marks the field"],
      [SECRETS, "a secret given to one capability would be read back, or seen by another"],
      [SECRETS, "%s would change how the command starts"],
    ],
  },
  {
    attack: "signing in as somebody else, or somebody else as oneself",
    shownBy: [
      [PEOPLE, "an answer of the provider in another browser, by which a victim would act as the attacker"],
      [PEOPLE, "an answer with %s"],
      [PEOPLE, "an id token that was made for another sign-in: its nonce is not this one's"],
      [PEOPLE, "a code that another PKCE challenge was sent for"],
      [PEOPLE, "to be sent to %s after signing in"],
      [PEOPLE, "a cookie that somebody invented: it is not taken over by the sign-in"],
      [PEOPLE, "two cookies of the same name: one of them was tossed in by a neighbour"],
      [PEOPLE, "a change by cookie %s"],
      [PEOPLE, "an address that nobody verified: it names no user, and gives no role"],
      [PEOPLE, "an address that another account has: addresses change hands, subjects do not"],
      [PEOPLE, "a report with a signature of somebody else, with none, or with our secret is refused"],
      [
        DEVICE,
        "a handle that is invented, changed or of another kind is refused, without a word to the provider",
      ],
      [DEVICE, "a handle is worth one login"],
      [DEVICE, "who was disabled gets no login"],
    ],
  },
  {
    attack: "rights of somebody who left",
    shownBy: [
      [`${SERVER}/people/left.live.test.ts`, "keeps no key, token, login, client, approval or schedule"],
    ],
  },
  {
    attack: "an account of somebody else, or its token at another host",
    shownBy: [
      [CONNECTIONS, "another user can neither finish, see nor end it"],
      [CONNECTIONS, "an answer counts once, and a made-up one never"],
      [CONNECTIONS, "an answer of another server is refused"],
      [CONNECTIONS, "settings with %s are refused"],
      [CONNECTED, "a direct call is refused with the link, and another user's call has no part in it"],
      [CONNECTED, "a yes without an account changes nothing, and a no lets the run go on without"],
      [CONNECTED, "a consent for once is for one call; for an agent, not for another"],
      [CONNECTED, "the token goes to the provider's host and to no other"],
      [ACCOUNTS, "by an admin who replays a run of its owner with another prompt and live reads"],
      [
        ACCOUNTS,
        "by an admin who writes into its owner's session or makes a key in their name, without a trace",
      ],
      [CONNECTED, "no token is found in any table, file, event, message or log"],
      [MCP_LOGINS, "the first call of each user asks, and goes on with that user's account and no other"],
      [MCP_LOGINS, "one person cannot answer with an account for another"],
      [MCP_LOGINS, "no token is found in any table, file, message or list, though the server repeats it"],
      [PROTECTED, "is refused when it names %s"],
      [PROTECTED, "is another provider when its login moves, so that tokens do not move with it"],
      [TOKENS, "%s at %s: %s"],
      [TOKENS, "without TLS only to a host that the operator named with its port"],
      [`${RUNTIME}/connections/redacted-stream.test.ts`, "a token is removed in every form"],
      [
        `${RUNTIME}/connections/refresh.live.test.ts`,
        "nothing that is stored can be read without the server's secret",
      ],
      [`${RUNTIME}/network/package-proxy.test.ts`, "the host of the token is reached, another one is not"],
      [`${RUNTIME}/install/installer.long.test.ts`, "an update that newly uses one requires consent"],
      [SEPARATION, "when the operator allowed it all the same"],
      [SEPARATION, "which says what is missing and gives it no account"],
    ],
  },
  ...SHARING_ATTACKS,
  {
    attack: "links, pipes and devices in folders of others",
    shownBy: [
      [FOLDERS, "a link in place of a folder would let a session write to the server's files"],
      [FOLDERS, "a link in place of a file would bring the server's files into the session"],
      [FOLDERS, "a pipe in place of a file would block every later call"],
      [TRIGGERS, "would wait for ever, and everybody's triggers with them, when preferences.json is a pipe"],
      [SERVICES, "a link in place of its log would let a service write to the server's files"],
      [SERVICES, "a service would have %s as a volume"],
      [
        `${RUNTIME}/install/read-folder.live.test.ts`,
        "a file that is swapped for a link while it is read would bring the server's files into a package",
      ],
      [`${RUNTIME}/repositories/folder-change.test.ts`, "the link %s -> %s leads out"],
    ],
  },
  {
    attack: "a package or a service on the ports of the machine",
    shownBy: [
      [NETWORK, "a package and a service would talk to every program that listens on the machine"],
      [`${RUNTIME}/sources/service-hosts.test.ts`, "would reach %s by naming it as its container"],
    ],
  },
  {
    attack: "poisoned and foreign memory",
    shownBy: [
      [
        MEMORIES,
        "a fact from an untrusted page carries its label into the next session, where sending out asks",
      ],
      [MEMORIES, "a fact is found in a later session of the same user, with any agent, and of nobody else"],
      [MEMORIES, "an agent forgets only when a person says yes, and only what is its user's"],
      [`${RUNTIME}/memories/memory-store.live.test.ts`, "are never found for another"],
      [
        `${RUNTIME}/runs/compaction/compaction.live.test.ts`,
        "does not make the calls that a model writes in place of a summary",
      ],
      [
        `${RUNTIME}/runs/compaction/compaction.live.test.ts`,
        "keeps the labels of what was read, and tells the model",
      ],
    ],
  },
  {
    attack: "code of others leaving its sandbox",
    shownBy: [
      [`${RUNTIME}/sandbox/lock-down.live.test.ts`, "a compromised interpreter's attempt to %s ends with %j"],
    ],
  },
];
