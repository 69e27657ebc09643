import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentSpec, type CapabilityRef } from "../agent.ts";
import { defineCapability } from "../capability.ts";
import { compose } from "../compose.ts";
import { decideCall } from "../gate-decision.ts";
import { effectivePolicy } from "../policy.ts";
import { CapabilityRegistry } from "../registry.ts";
import { ok } from "../result.ts";
import { defineTool } from "../tool.ts";
import { beyondAuthor, limitToAuthor } from "./agent-authority.ts";
import { mayAnswer } from "./answer-authority.ts";
import {
  ACTIONS,
  ACTORS,
  type Actor,
  cellOf,
  includesRight,
  KEY_RULES,
  PROGRAMS,
  RIGHTS,
  rightFor,
  THINGS,
} from "./authority.ts";
import { ACTOR_BY_PATH } from "./call-authority.ts";
import { CHOOSES_HOST } from "./chosen-hosts.ts";

describe("the table", () => {
  test("has a cell for every actor and every thing", () => {
    for (const actor of ACTORS) for (const thing of THINGS) expect(cellOf(actor, thing).may).toBeDefined();
    expect(ACTORS).toHaveLength(RIGHTS.length + PROGRAMS.length);
  });

  test("gives anonymous callers and other OS users nothing", () => {
    for (const thing of THINGS) {
      expect(cellOf("nobody", thing).may).toEqual([]);
      expect(cellOf("another user of the machine", thing).may).toEqual([]);
    }
  });

  test("gives each right what the one before it has", () => {
    for (const [at, right] of RIGHTS.entries()) {
      const before = RIGHTS[at - 1];
      if (!before) continue;
      for (const thing of THINGS)
        expect(cellOf(`${right} key`, thing).may).toEqual(
          expect.arrayContaining([...cellOf(`${before} key`, thing).may]),
        );
    }
  });

  test("lets no program and no model change rights, agents, keys, packages or secrets", () => {
    for (const actor of PROGRAMS)
      for (const thing of ["grant", "key", "agent", "package", "secret", "provider", "token"] as const)
        expect(
          cellOf(actor, thing).may.filter((action) => action !== "see"),
          `${actor} and ${thing}`,
        ).toEqual([]);
  });

  test("lets no program answer an approval but a client that a person allowed, which shows it to them", () => {
    const answering = PROGRAMS.filter((actor) => cellOf(actor, "approval").may.length > 0);
    expect(answering).toEqual(["a client's login"]);
  });

  test("lets a key see only the names of its owner's secrets", () => {
    expect(KEY_RULES.secret.whose).toBe("own");
    expect(cellOf("read key", "secret").may).toEqual([]);
  });

  test("is the source of every right", () => {
    expect(rightFor("agent", "change")).toBe("author");
    expect(includesRight(["run"], "author")).toBe(false);
    expect(includesRight(["read", "admin"], "author")).toBe(true);
    expect(ACTIONS.map((action) => rightFor("network", action))).toEqual([undefined, undefined, undefined]);
  });
});

const capability = defineCapability({
  id: "mail",
  name: "Mail",
  description: "Sends mail.",
  config: z.object({
    base_url: z.url().optional(),
    tone: z.string().optional(),
    BASE_URL: z.string().optional(),
    serverUrl: z.string().optional(),
    region: z
      .string()
      .meta({ [CHOOSES_HOST]: true })
      .optional(),
    mail_server: z.enum(["a.example.com", "b.example.com"]).optional(),
    place: z.union([z.enum(["near.example"]), z.string()]).optional(),
    sender: z.email().optional(),
    package_name: z
      .string()
      .meta({ [CHOOSES_HOST]: false })
      .optional(),
  }),
  tools: [
    defineTool({
      name: "send",
      description: "Sends.",
      policy: "approve",
      input: z.object({}),
      run: () => ok("sent"),
    }),
  ],
});
/** Earlier versions of it, whose tool needs less. */
const older = (version: string, requiredScopes: string[]) =>
  defineCapability({
    id: "mail",
    version,
    name: "Mail",
    description: "Sends mail.",
    requiredScopes,
    tools: [defineTool({ name: "send", description: "Sends.", input: z.object({}), run: () => ok("sent") })],
  });
const strict = { ...older("3.0.0", ["Mail.Send"]), id: "post" };
const forward = { name: "forward", description: "Forwards.", input: z.object({}), run: () => ok("sent") };
const withForward = { ...older("1.2.0", []), tools: [defineTool(forward)] }; // a tool that the registered version lacks
const EARLIER = [
  older("1.0.0", []),
  { ...older("1.1.0", []), id: "post" },
  withForward,
  { ...withForward, id: "post" },
];
const author = { email: "ann@example.com", isAdmin: false, scopes: ["mail.send"] };
const letters = defineCapability({
  id: "letters",
  name: "Letters",
  description: "Writes letters and mails them.",
  dependencies: ["mail"],
  tools: [],
});
const around = {
  capabilityOf: ({ id, version }: CapabilityRef) =>
    version === undefined
      ? [capability, letters, strict].find((each) => each.id === id)
      : EARLIER.find((each) => each.id === id && each.version === version),
  delegates: [],
};
const beyond = (parts: Partial<Parameters<typeof agentSpec>[0]>, by = author) =>
  beyondAuthor(agentSpec({ name: "A", ...parts }), by, around);

describe("an agent and its author", () => {
  test.each([
    [{}, undefined],
    [{ capabilities: [{ id: "mail" }], toolPolicies: { send: "deny" as const } }, undefined],
    [{ grantedScopes: ["mail.send"] }, undefined],
    [{ capabilities: [{ id: "mail", config: { tone: "warm" } }] }, undefined],
    [{ harness: "claude" }, /harness/],
    [{ allowNativeTools: true }, /allow_native_tools/],
    [{ mayRequestScopes: true }, /may_request_scopes/],
    [{ grantedScopes: ["*"] }, /granted_scopes/],
    [{ approvalExpiry: { policy: "escalate" as const, afterSeconds: 1, to: "eve@example.com" } }, /eve/],
    [{ approvalExpiry: { policy: "escalate" as const, afterSeconds: 1, to: "ann@example.com" } }, /ann/],
    [{ capabilities: [{ id: "mail" }], toolPolicies: { send: "auto" as const } }, /tool_policies: "send"/],
    [{ capabilities: [{ id: "mail", prefix: "m_" }], toolPolicies: { m_send: "client" as const } }, /m_send/],
    [{ capabilities: [{ id: "letters" }], toolPolicies: { send: "auto" as const } }, /tool_policies: "send"/],
    [{ capabilities: [{ id: "mail", config: { tone: { base_url: "evil.example" } } }] }, /tone.base_url/],
    [{ capabilities: [{ id: "mail", config: { tone: [{ to: "https://evil.example" }] } }] }, /tone.0.to/],
    [{ capabilities: [{ id: "mail", config: { base_url: "https://evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { BASE_URL: "https://evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { serverUrl: "https://evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { hosts: ["evil.example"] } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { host_name: "evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { mailDomain: "evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", config: { tone: "//evil.example" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "mail", version: "1.0.0" }] }, /"send" of version 1.0.0 .* the policy "approve"/],
    [
      { capabilities: [{ id: "mail", version: "1.0.0" }], toolPolicies: { send: "approve" as const } },
      undefined,
    ],
    [{ capabilities: [{ id: "post", version: "1.1.0" }] }, /"send" of version 1.1.0 .* without Mail.Send/],
    [{ capabilities: [{ id: "mail", config: { region: "evil.example/" } }] }, /chooses a host/],
    [{ capabilities: [{ id: "post", version: "1.2.0" }] }, /"forward" of version 1.2.0 .* without Mail.Send/],
    [
      { capabilities: [{ id: "mail", version: "1.2.0" }] },
      /"forward" of version 1.2.0 .* the policy "approve"/,
    ],
    [{ capabilities: [{ id: "mail", config: { mail_server: "a.example.com" } }] }, undefined],
  ])("%j needs an admin for %s", (parts, why) => {
    if (why === undefined) expect(beyond(parts)).toEqual([]);
    else expect(beyond(parts)).toEqual([expect.stringMatching(why)]);
    expect(beyond(parts, { ...author, isAdmin: true })).toEqual([]);
  });
});

test.each([
  ...[
    "evil.example",
    "evil.example.",
    "evil.example:8443",
    "a@evil.example",
    "evil.example/v1",
    "sub-1.evil.example",
  ],
  ...[
    "192.0.2.7",
    "192.0.2.7:80/x",
    "[2001:db8::1]:443",
    "evil\u3002example",
    "ｅｖｉｌ．ｅｘａｍｐｌｅ",
    "xn--80ak6aa92e.xn--p1ai",
  ],
  ...[" evil.example ", "пример.рф", "http:evil", "evil.example?x", "evil.example\\x"],
])("%j in a field that nothing marks chooses a host", (tone) => {
  expect(beyond({ capabilities: [{ id: "mail", config: { tone } }] })).toEqual([
    expect.stringMatching(/"tone" chooses a host/),
  ]);
  expect(beyond({ capabilities: [{ id: "mail", config: { place: tone } }] })).toHaveLength(1);
});

test.each([
  ...[
    "warm",
    "gpt-4.1",
    "1.2.3",
    "report.pdf",
    "v2.0",
    "/docs/notes.md",
    "docs/notes.md",
    "Hello. Be kind.",
    "e.g. this",
  ],
  ...["", ".", "...", "a", "2026-01-05T08:00:00.000Z", "3.14", "Mail.", "user_42"],
])("%j does not", (tone) => {
  expect(beyond({ capabilities: [{ id: "mail", config: { tone } }] })).toEqual([]);
});

test("a schema decides where it says so, and known values are no choice", () => {
  const config = { package_name: "com.example", sender: "ann@example.com", place: "near.example" };
  expect(beyond({ capabilities: [{ id: "mail", config }] })).toEqual([]);
});

describe("an agent whose author has lost rights", () => {
  const all = agentSpec({
    name: "A",
    capabilities: [{ id: "mail" }],
    grantedScopes: ["mail.send", "mail.read"],
    toolPolicies: { send: "auto", other: "deny" },
    mayRequestScopes: true,
    approvalExpiry: { policy: "escalate", afterSeconds: 1, to: "eve@example.com" },
  });

  test("has only what the author could give now, and keeps what restricts it", () => {
    const limited = limitToAuthor(all, author, around);
    expect(limited).toMatchObject({
      ok: true,
      value: {
        grantedScopes: ["mail.send"],
        toolPolicies: { other: "deny" },
        mayRequestScopes: false,
        approvalExpiry: { policy: "wait" },
      },
    });
    expect(limitToAuthor(all, { ...author, isAdmin: true }, around)).toEqual(ok(all));
  });

  test("asks where a version that it stays on does not, and lacks what that version needs no scope for", () => {
    const asking = agentSpec({ name: "A", capabilities: [{ id: "mail", version: "1.0.0" }] });
    const lacking = agentSpec({ name: "A", capabilities: [{ id: "post", version: "1.1.0" }] });
    expect(limitToAuthor(asking, author, around)).toMatchObject({
      value: { toolPolicies: { send: "approve" } },
    });
    expect(limitToAuthor(lacking, author, around)).toMatchObject({
      value: { toolPolicies: { send: "deny" } },
    });
    expect(limitToAuthor(lacking, { ...author, isAdmin: true }, around)).toEqual(ok(lacking));
  });

  test.each([{ harness: "claude" }, { allowNativeTools: true }, { folder: "/srv/app" }])(
    "cannot be used when it is nothing without %j",
    (parts) => {
      const limited = limitToAuthor(agentSpec({ name: "A", ...parts }), author, around);
      expect(limited).toMatchObject({ ok: false, failure: { code: "agent_beyond_author", status: 403 } });
    },
  );

  test("does not delegate to an agent that does more than the author may", () => {
    const shell = agentSpec({ name: "Shell", harness: "claude", grantedScopes: ["anything"] });
    const delegating = { ...around, delegates: [shell] };
    const lead = agentSpec({ name: "Lead", capabilities: [{ id: "agent.shell" }] });
    expect(beyondAuthor(lead, author, delegating)).toEqual([expect.stringMatching(/"Shell".*harness/)]);
    expect(limitToAuthor(lead, author, delegating)).toMatchObject({ ok: false });
  });
});

describe("a call that changes rights", () => {
  test.each(["auto", "client", "approve", undefined] as const)(
    "asks a person, whatever the policy %s says",
    (operator) => {
      const parts = { declared: "auto" as const, operator, changesRights: true, demanded: [] };
      expect(effectivePolicy(parts)).toBe("approve");
      expect(effectivePolicy({ ...parts, declared: "approve" })).toBe("approve");
      expect(effectivePolicy({ ...parts, operator: "deny" })).toBe("deny");
    },
  );
});

describe("an answer", () => {
  const asked = {
    id: "1",
    userEmail: "ann@example.com",
    assignee: "bob@example.com",
    assigneeOnly: false,
    changesRights: false,
  };
  const yes = { approve: true, edits: false };
  const who = (email: string, isAdmin = false) => ({ email, isAdmin });

  test("counts from the requester, the assigned person, and an admin", () => {
    for (const email of ["ann@example.com", "bob@example.com"])
      expect(mayAnswer(who(email), asked, yes).ok).toBe(true);
    expect(mayAnswer(who("eve@example.com"), asked, yes)).toMatchObject({ failure: { code: "not_found" } });
    expect(mayAnswer(who("eve@example.com", true), asked, yes).ok).toBe(true);
  });

  test("with other arguments counts only from the person the call runs for, or an admin", () => {
    const edits = { approve: true, edits: true };
    expect(mayAnswer(who("ann@example.com"), asked, edits).ok).toBe(true);
    expect(mayAnswer(who("bob@example.com"), asked, edits)).toMatchObject({ failure: { code: "forbidden" } });
  });

  test("for the rest of the session counts only from the person the call runs for, or an admin", () => {
    const all = { ...yes, forSession: true };
    expect(mayAnswer(who("ann@example.com"), asked, all).ok).toBe(true);
    expect(mayAnswer(who("eve@example.com", true), asked, all).ok).toBe(true);
    expect(mayAnswer(who("bob@example.com"), asked, all)).toMatchObject({ failure: { code: "forbidden" } });
  });

  test("to a question that a rule puts to somebody: a yes counts from them or an admin, a no from everyone asked", () => {
    const ruled = { ...asked, assigneeOnly: true };
    const no = { approve: false, edits: false };
    expect(mayAnswer(who("bob@example.com"), ruled, yes).ok).toBe(true);
    expect(mayAnswer(who("eve@example.com", true), ruled, yes).ok).toBe(true);
    expect(mayAnswer(who("ann@example.com"), ruled, yes)).toMatchObject({ failure: { code: "forbidden" } });
    expect(mayAnswer(who("ann@example.com"), ruled, no).ok).toBe(true);
    const admins = { ...ruled, assignee: "admin" };
    for (const email of ["ann@example.com", "admin"])
      expect(mayAnswer(who(email), admins, yes)).toMatchObject({ failure: { code: "forbidden" } });
  });

  test("to a change of rights: approvals count from an admin or the named person, denials from everyone asked", () => {
    const rights = { ...asked, changesRights: true };
    expect(mayAnswer(who("ann@example.com"), rights, yes)).toMatchObject({ failure: { code: "forbidden" } });
    expect(mayAnswer(who("bob@example.com"), rights, yes)).toMatchObject({ failure: { code: "forbidden" } });
    expect(mayAnswer(who("ann@example.com"), rights, { approve: false, edits: false }).ok).toBe(true);
    expect(mayAnswer(who("sec@example.com"), rights, yes, "sec@example.com").ok).toBe(true);
    expect(mayAnswer(who("ann@example.com"), rights, yes, "ann@example.com").ok).toBe(false);
  });
});

describe("a call at the gate", () => {
  const composed = compose(
    agentSpec({ name: "A", capabilities: [{ id: "rights" }] }),
    CapabilityRegistry.of([rightsCapability()]),
    { scopes: [] },
    (text) => text.length,
  );
  const facts = { scopes: [], hasSession: false, budgets: [], approved: false };
  const decide = (actor: Actor, tool: string) => {
    if (!composed.ok) throw new Error(composed.failure.message);
    return decideCall({ tool, input: {} }, composed.value, { ...facts, actor }).decision;
  };

  test.each(ACTORS)("of %s is decided by its cells of the table", (actor) => {
    const mayUse = cellOf(actor, "capability").may.includes("use");
    const mayGrant = cellOf(actor, "grant").may.includes("change");
    expect(decide(actor, "look")).toBe(mayUse ? "run" : "refuse");
    const asks = mayGrant ? "approve or run" : "approve";
    expect(mayUse ? asks : "refuse").toContain(decide(actor, "give"));
  });

  test("has an actor whichever path it takes, and one that may call", () => {
    for (const actor of Object.values(ACTOR_BY_PATH)) expect(decide(actor, "look")).toBe("run");
  });
});

function rightsCapability() {
  return defineCapability({
    id: "rights",
    name: "Rights",
    description: "Looks and gives.",
    tools: [
      defineTool({ name: "look", description: "Looks.", input: z.object({}), run: () => ok("seen") }),
      defineTool({
        name: "give",
        description: "Gives rights.",
        changesRights: true,
        input: z.object({}),
        run: () => ok("given"),
      }),
    ],
  });
}
