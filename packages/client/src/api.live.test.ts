/** The client and the server agree on every path: each path the client calls is in the server's OpenAPI document. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../tools/test-server.ts";
import { type Api, createApi } from "./api.ts";

let server: TestServer;
beforeAll(async () => {
  server = await testServer(await freshPglite());
});
afterAll(async () => server?.stop());

test("every endpoint the client calls is documented by the server", async () => {
  const { body } = await server.call("GET", "/openapi.json");
  const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => shape(method, path)),
  );
  const called = await calledBy((api) => everyCall(api));
  expect(called.length).toBeGreaterThan(60);
  expect(called.filter((call) => !documented.includes(call))).toEqual([]);
});

test("an agent is created, changed, previewed and deleted through the client", async () => {
  const api = createApi({ url: server.url });
  const made = await api.agents.create({ name: "Mate", capabilities: ["test_math"] });
  if (!made.ok) throw new Error(made.failure.message);
  const changed = await api.agents.update(made.value.id, { description: "Adds." });
  expect(changed).toMatchObject({ ok: true, value: { description: "Adds.", version: 2 } });
  expect(await api.agents.preview(made.value.id)).toMatchObject({ ok: true, value: { hidden_tools: [] } });
  expect(await api.agents.delete(made.value.id)).toEqual({ ok: true, value: undefined });
  expect(await api.agents.get(made.value.id)).toMatchObject({ ok: false, failure: { code: "not_found" } });
});

/** Parameter names may differ; only their position counts. */
const shape = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, "{}").replaceAll(/\/(start|stop|retry|drop)$/g, "/{}")}`;

async function calledBy(use: (api: Api) => Promise<unknown>): Promise<string[]> {
  const calls = new Set<string>();
  const api = createApi({
    url: "http://capstan.test",
    fetch: async (url, init) => {
      calls.add(shape(init?.method ?? "GET", decodeURIComponent(new URL(url).pathname)));
      return Response.json({ items: [] }, { status: 200 });
    },
  });
  await use(api);
  return [...calls];
}

/** Calls each function of the client once, with `{}` where an id goes. */
async function everyCall(api: Api): Promise<void> {
  for (const [group, calls] of Object.entries(api)) {
    if (typeof calls !== "object") continue;
    for (const [name, call] of Object.entries(calls as Record<string, (...args: unknown[]) => unknown>)) {
      if (name === "followEvents") continue;
      await call(...(GIVEN[`${group}.${name}`] ?? GIVEN[name] ?? ["{}", "{}", {}]));
    }
  }
}

const GIVEN: Record<string, unknown[]> = {
  me: [],
  startDevice: [{}],
  pollDevice: ["{}"],
  "logins.end": [],
  "organisations.choose": ["default"],
  "organisations.members": ["{}"],
  "organisations.putMember": ["{}", "{}", { role: "read" }],
  "organisations.removeMember": ["{}", "{}"],
  "files.list": ["{}", "/{}"],
  "schedules.put": [{}],
  "secrets.set": [{ capability: "{}", name: "{}" }, {}],
  "secrets.remove": [{ capability: "{}", name: "{}" }],
  doctor: [{ onEvent: () => {} }],
  run: ["{}", {}, { onEvent: () => {} }],
  list: [],
  all: [],
  ready: [],
  "route.start": [{ task: "x" }],
  "route.follow": ["{}", () => {}],
  "agents.revision": ["{}", "{}"],
  "capabilities.test": ["{}"],
  "replays.get": ["{}"],
  "runs.trajectory": ["{}"],
  "experiments.get": ["{}"],
  "experiments.cells": ["{}"],
  "experiments.reviews": ["{}"],
  "experiments.scorers": [],
  "monitors.get": ["{}"],
  "monitors.scores": ["{}"],
  "monitors.alerts": ["{}"],
  "monitors.acknowledge": ["{}", "{}"],
  "experiments.review": ["{}", "{}", {}],
  "datasets.items": ["{}"],
  "datasets.versions": ["{}"],
  "datasets.everyItem": ["{}"],
  createToken: ["{}", {}],
  "shared.get": ["{}"],
  "links.list": ["{}"],
  "links.create": ["{}", {}],
  status: [],
  health: [],
  audit: [],
  telemetry: [],
  series: [],
  create: [{}],
  previewUnsaved: [{}],
  capabilities: ["{}", {}],
  "connections.start": [{}],
  "connections.finish": [{ state: "x" }],
  "connections.providers": [],
  "connections.setProvider": ["{}", {}],
  "clientLogins.review": [{ request: {} }],
  "clientLogins.answer": [{ request: {}, allow: false }],
  review: [{ source: "x" }],
  install: [{ source: "x", yes: true }],
  explain: [{ task: "x" }],
  "rules.explain": ["{}"],
  execute: [{ task: "x" }],
  models: [],
};
