/** One process of several, and what the others write meanwhile. Opening and draining end when the test says so. */
import { ok } from "@capstan/core";
import {
  budgetStore,
  type Database,
  type OrganisationStore,
  openDatabase,
  organisationStore,
} from "@capstan/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { parseSettings } from "../settings/settings.ts";
import { type OpenOrganisation, OrganisationHost } from "./organisation-host.ts";

let store: FreshStore;
let database: Database;
let organisations: OrganisationStore;
let host: OrganisationHost;
let lists: number;
let opens: string[];
let errors: unknown[];
let hear: () => void;
let tellOthers: () => void;
/** Those that open or drain only when they are let go. */
let held: Map<string, { promise: Promise<void>; resolve: () => void; reached: Promise<void> }>;

function hold(what: string): { promise: Promise<void>; resolve: () => void; reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  const gate = {
    resolve,
    reached: seen.promise,
    get promise() {
      seen.resolve();
      return promise;
    },
  };
  held.set(what, gate);
  return gate;
}

function opened(id: string): OpenOrganisation {
  const unused = () => Promise.reject(new Error("not used here"));
  return {
    fetch: () => new Response(id),
    people: { standing: unused },
    keys: { create: unused },
    budgets: budgetStore(database),
    audit: { add: unused },
    database,
    drain: async () => held.get(`drain ${id}`)?.promise,
    close: async () => {},
  };
}

beforeEach(async () => {
  store = await freshPglite();
  const started = await openDatabase(store);
  if (!started.ok) throw new Error(started.failure.message);
  database = started.value;
  organisations = organisationStore(database);
  held = new Map();
  [lists, opens, errors] = [0, [], []];
  hear = () => {};
  tellOthers = () => {};
  const settings = parseSettings({});
  if (!settings.ok) throw new Error("settings");
  host = new OrganisationHost({
    settings: settings.value,
    open: async (id) => {
      opens.push(id);
      await held.get(`open ${id}`)?.promise;
      return ok(opened(id));
    },
    erase: async () => {},
    setWeights: () => {},
    onError: (error) => errors.push(error),
  });
  await host.start({
    fetch: () => new Response("first"),
    store: {
      ...organisations,
      list: async () => {
        lists += 1;
        const records = await organisations.list();
        const reading = held.get("list");
        held.delete("list"); // the next one reads at once
        await reading?.promise;
        return records;
      },
    },
    people: { standing: () => Promise.reject(new Error("not used here")) },
    policyChanges: {
      onChange: (listener) => {
        hear = listener;
      },
      announce: async () => {
        hear();
        tellOthers();
      },
    },
    isShared: true,
  });
});
afterEach(async () => {
  for (const { resolve } of held.values()) resolve();
  await host.close();
  await database.close();
  await store.drop();
  expect(errors).toEqual([]);
});

async function createElsewhere(id: string): Promise<void> {
  await organisations.create({ id, name: id, requestsPerMinute: null, by: "op@example.com" });
  await organisations.ready(id);
}

async function ask(id: string): Promise<string> {
  const headers = { "capstan-organisation": id };
  const answer = await host.fetch(new Request("http://localhost/v1/agents", { headers }));
  return answer.status === 200 ? answer.text() : String(answer.status);
}

test("one that was created elsewhere answers its first request, though this process looked a moment before", async () => {
  expect(await ask("acme")).toBe("401");
  await createElsewhere("acme");
  expect(await ask("acme")).toBe("acme");
});

test("requests that arrive while their organisation opens wait for it, and it opens once", async () => {
  await createElsewhere("acme");
  const opening = hold("open acme");
  const first = ask("acme");
  await opening.reached;
  const others = [ask("acme"), ask("acme")];
  const looked = host.look();
  opening.resolve();
  expect(await Promise.all([first, ...others])).toEqual(["acme", "acme", "acme"]);
  await looked;
  expect(opens).toEqual(["acme"]);
});

test("a list that was read before a creation removes and refuses nothing that was created meanwhile", async () => {
  const reading = hold("list");
  const looked = host.look();
  await reading.reached;
  await createElsewhere("acme");
  const asked = ask("acme");
  const made = host.create({ id: "beta", name: "beta", requestsPerMinute: null, by: "op@example.com" });
  for (let at = 0; at < 20; at += 1) await organisations.list(); // one statement at a time: its creation went as far as it can
  reading.resolve();
  await looked;
  expect((await made).ok).toBe(true);
  expect([await asked, await ask("beta")]).toEqual(["acme", "beta"]);
  expect(opens.toSorted()).toEqual(["acme", "beta"]);
});

test("many requests for unknown names share what they read", async () => {
  const reading = hold("list");
  const before = lists;
  const first = ask("nobody-0");
  await reading.reached;
  const asked = Array.from({ length: 50 }, (_, at) => ask(`nobody-${at}`));
  reading.resolve();
  expect(new Set(await Promise.all([first, ...asked]))).toEqual(new Set(["401"]));
  expect(lists - before).toBe(2);
});

test("one that is disabled answers nobody while another one opens, and a new one opens while it drains", async () => {
  for (const id of ["acme", "beta"]) await createElsewhere(id);
  await host.look();
  await createElsewhere("slow");
  const [opening, draining] = [hold("open slow"), hold("drain acme")];
  const slow = ask("slow");
  await opening.reached;
  await organisations.change("acme", { isDisabled: true });
  hear();
  await draining.reached;
  expect(await ask("acme")).toBe("401");
  opening.resolve();
  expect([await slow, await ask("beta")]).toEqual(["slow", "beta"]);
});

test("one that is disabled while it opens never answers", async () => {
  await createElsewhere("acme");
  const opening = hold("open acme");
  const asked = ask("acme");
  await opening.reached;
  await organisations.change("acme", { isDisabled: true });
  const looked = host.look();
  await looked;
  opening.resolve();
  expect([await asked, await ask("acme")]).toEqual(["401", "401"]);
});

test("others are told of a disabled one before its requests here are finished", async () => {
  await createElsewhere("acme");
  await host.look();
  const told = Promise.withResolvers<void>();
  tellOthers = told.resolve;
  const draining = hold("drain acme");
  await organisations.change("acme", { isDisabled: true });
  const announced = host.announce();
  await told.promise;
  draining.resolve();
  await announced;
  expect(await ask("acme")).toBe("401");
});

test("one that is deleted and made again is opened again", async () => {
  await createElsewhere("acme");
  await host.look();
  await organisations.remove("acme");
  await createElsewhere("acme");
  await host.look();
  expect([await ask("acme"), ...opens]).toEqual(["acme", "acme", "acme"]);
});
