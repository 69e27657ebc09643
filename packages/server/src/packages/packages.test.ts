import { expect, test } from "vitest";
import { toolEnvironment } from "./open-packages.ts";

test.each([
  ["PATH", true],
  ["HOME", true],
  ["https_proxy", true],
  ["NO_PROXY", true],
  ["NODE_EXTRA_CA_CERTS", true],
  ["SSL_CERT_FILE", true],
  ["npm_config_registry", true],
  ["NPM_CONFIG_REGISTRY", true],
  ["NODE_AUTH_TOKEN", true],
  ["PIP_INDEX_URL", true],
  ["ANTHROPIC_API_KEY", false],
  ["OPENAI_API_KEY", false],
  ["CAPSTAN_SECRET", false],
  ["DATABASE_URL", false],
  ["AWS_SECRET_ACCESS_KEY", false],
  ["NODE_OPTIONS", false],
  ["PYTHONPATH", false],
])("of %s pip and npm see: %s", (name, seen) => {
  expect(name in toolEnvironment({ [name]: "x" })).toBe(seen);
});
