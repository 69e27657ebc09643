import { join } from "node:path";
import { isMinilmInstalled } from "@capstan/builtins";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";

/** Where the two packages are if the benchmarks are installed; the repository itself does not have them. */
const BENCH = join(import.meta.dirname, "../../../../bench");
const installed = isMinilmInstalled({ from: join(BENCH, "package.json") });

describe.skipIf(!installed)("a server with the MiniLM packages (installed in bench)", () => {
  let store: FreshStore;
  let server: ServerProcess;
  beforeAll(async () => {
    store = await freshPglite();
    server = await serverProcess(store, {}, BENCH);
  });
  afterAll(async () => {
    await server.end();
    await store.drop();
  });
  const routing = async () => (await server.call("GET", "/v1/status")).body.routing;

  test("answers from its start, says so in its log, and uses the model once it has read the catalog", async () => {
    const early = await server.call("POST", "/v1/route", { task: "create a business plan" });
    expect(early.body.intent.label).toBe("company.plan");
    await expect.poll(routing, { timeout: 60_000 }).toEqual({ tier: "minilm", waiting: 0 });
    expect(server.log()).toMatch(/MiniLM/);
  });

  test("ranks tasks and posted catalogs by the model", async () => {
    const { body } = await server.call("POST", "/api/execute-task", {
      task: "show local ai models available",
    });
    expect(body.intent.label).toBe("localai.models");
    const posted = await server.call("POST", "/v1/route/rank", {
      capabilities: [
        { id: "vet", name: "Veterinary Booking", description: "Book an appointment at an animal clinic." },
        { id: "car", name: "Garage Booking", description: "Book a repair at a car garage." },
      ],
      tasks: ["book an appointment for my sick puppy"],
    });
    expect(posted.headers.get("x-capstan-route-tier")).toBe("minilm");
    expect(posted.body.results[0].matches[0]?.id).toBe("vet");
  });

  test("does not block the server while it reads a long catalog", async () => {
    const capabilities = Array.from({ length: 300 }, (_, at) => ({
      id: `c${at}`,
      name: `Operation ${at}`,
      description: `Changes the ${at}th entry of the ledger and writes who did it.`,
    }));
    const ranking = server.call("POST", "/v1/route/rank", { capabilities, tasks: ["change entry"] });
    let answered = 0;
    const done = ranking.then(() => true);
    while (!(await Promise.race([done, server.call("GET", "/health").then(() => false)]))) answered++;
    expect(answered).toBeGreaterThan(3);
    expect((await ranking).status).toBe(200);
  });
});
