import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const compose = (name: string) =>
  parse(readFileSync(new URL(`./${name}/docker-compose.yml`, import.meta.url), "utf8"));
const envExample = (name: string) => readFileSync(new URL(`./${name}/.env.example`, import.meta.url), "utf8");

describe("the examples' compose files", () => {
  test("the inbox assistant mounts the user's directory and the trigger outbox, and joins no network", () => {
    expect(compose("aech-rt-inbox-assistant")).toEqual({
      services: {
        "inbox-assistant": {
          build: ".",
          image: "aech-rt-inbox-assistant",
          env_file: [".env"],
          volumes: [
            "../data/users/$" + "{DELEGATED_USER}:/home/agentaech:rw",
            "../data/rt_triggers/inbox-assistant:/triggers/outbox:rw",
          ],
          restart: "unless-stopped",
        },
      },
    });
  });

  test("the helpdesk mounts its shared data, joins the external network and restarts", () => {
    expect(compose("aech-rt-helpdesk")).toMatchObject({
      services: {
        helpdesk: {
          image: "aech-rt-helpdesk",
          volumes: ["../data/app_context/helpdesk:/data"],
          networks: ["aech-network"],
          restart: "unless-stopped",
        },
      },
      networks: { "aech-network": { external: true } },
    });
  });

  test.each(["aech-rt-inbox-assistant", "aech-rt-helpdesk"])(
    "%s says whom it works for and how often it looks",
    (name) => {
      expect(envExample(name)).toMatch(/^DELEGATED_USER=user@example\.com\s/m);
      expect(envExample(name)).toMatch(/^POLL_INTERVAL=60\s/m);
    },
  );
});
