import { describe, expect, test } from "vitest";
import { parseSettings } from "./settings.ts";

const refusal = (environment: Record<string, string>) => {
  const settings = parseSettings(environment);
  return settings.ok ? undefined : settings.failure.message;
};

describe("a variable that is almost a setting", () => {
  test.each([
    ["CAPSTAN_PORT", "4500", "PORT"],
    ["CAPSTAN_HOST", "0.0.0.0", "HOST"],
    ["CAPSTAN_ALLOW_HOST", "10.0.0.1", "CAPSTAN_ALLOW_HOSTS"],
    ["CAPSTAN_ALOWED_ORIGINS", "https://app.example.com", "CAPSTAN_ALLOWED_ORIGINS"],
    ["CAPSTAN_OIDC_ISUER", "https://login.example.com", "CAPSTAN_OIDC_ISSUER"],
    ["CAPSTAN_DATA", "/var/lib/capstan", "CAPSTAN_DATA_DIR"],
    ["CAPSTAN_PUBLIC", "app.example.com", "CAPSTAN_PUBLIC_HOSTS"],
    ["CAPSTAN_RATE_LIMIT", "60", "CAPSTAN_RATE_LIMIT_PER_MINUTE"],
    ["CAPSTAN_OIDC", "https://login.example.com", "CAPSTAN_OIDC_ISSUER"],
    ["CAPSTAN_DATABASE_URL", "postgres://db.example.com/capstan", "DATABASE_URL"],
  ])("%s is refused with the name that was meant", (name, value, meant) => {
    expect(refusal({ [name]: value })).toMatch(
      new RegExp(`${name} is not a setting; did you mean ${meant}\\?`),
    );
  });

  test("is named beside every other fault", () => {
    expect(refusal({ CAPSTAN_PORT: "4500", CAPSTAN_SECRET: "short" })).toMatch(
      /CAPSTAN_PORT.*CAPSTAN_SECRET/s,
    );
  });
});

describe("a variable of another program", () => {
  test.each([
    ["CAPSTAN_URL", "http://127.0.0.1:4400"],
    ["CAPSTAN_KEY", "cap_abc"],
    ["CAPSTAN_SECRET_SHOP_KEY", "hush"],
    ["CAPSTAN_CLIENTS_CACHE", "/var/tmp/clients"],
    ["CAPSTAN_SERVICE_HOST", "10.3.0.7"],
    ["CAPSTAN_SERVICE_PORT", "4400"],
    ["CAPSTAN_PORT", "tcp://10.3.0.7:4400"],
    ["CAPSTAN_PORT_4400_TCP_ADDR", "10.3.0.7"],
    ["CAPSTAN_COLOUR", "blue"],
  ])("such as %s=%s is passed over", (name, value) => {
    expect(refusal({ [name]: value })).toBeUndefined();
  });
});
