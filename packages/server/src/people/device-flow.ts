/**
 * The device flow (RFC 8628) at the provider. The library's own polling waits in a loop; ours asks once, because the command
 * line does the waiting. Its answers are checked before a terminal shows them.
 */
import { readInput } from "@capstan/core/internal";
import type { Configuration } from "openid-client";
import { z } from "zod";

export interface DeviceCode {
  readonly code: string;
  readonly userCode: string;
  readonly page: string;
  readonly pageWithCode: string | undefined;
  readonly interval: number;
  readonly expiresIn: number;
}

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const DEFAULT_INTERVAL = 5; // RFC 8628, section 3.2
const MOST_SECONDS = 1800;

const Page = z.url({ protocol: /^https?$/ }).max(2000);
const Answer = z.object({
  device_code: z.string().min(1).max(6000),
  user_code: z.string().regex(/^[\x21-\x7e][\x20-\x7e]{0,63}$/, "must be printable"),
  verification_uri: Page,
  verification_uri_complete: Page.optional(),
  interval: z.number().min(1).max(60).default(DEFAULT_INTERVAL),
  expires_in: z.number().positive(),
});

export const hasDeviceFlow = (config: Configuration): boolean =>
  config.serverMetadata().device_authorization_endpoint !== undefined;

export async function beginDevice(config: Configuration, scope: string): Promise<DeviceCode> {
  const oidc = await import("openid-client");
  const read = readInput(Answer, await oidc.initiateDeviceAuthorization(config, { scope }));
  if (!read.ok) throw new Error(`its device flow answered wrongly: ${read.where}`);
  const { value: data } = read;
  return {
    code: data.device_code,
    userCode: data.user_code,
    page: new URL(data.verification_uri).href,
    pageWithCode: data.verification_uri_complete && new URL(data.verification_uri_complete).href,
    interval: data.interval,
    expiresIn: Math.min(data.expires_in, MOST_SECONDS),
  };
}

/** Anything else is a failure. */
const MEANINGS = {
  authorization_pending: "pending",
  slow_down: "slow down",
  access_denied: "denied",
  expired_token: "expired",
  invalid_grant: "expired", // used, or forgotten by the provider
} as const;

export async function askDevice(config: Configuration, code: string) {
  const oidc = await import("openid-client");
  try {
    return await oidc.genericGrantRequest(config, GRANT, { device_code: code });
  } catch (error) {
    const said = error instanceof oidc.ResponseBodyError ? error.error : "";
    if (Object.hasOwn(MEANINGS, said)) return MEANINGS[said as keyof typeof MEANINGS];
    throw error;
  }
}
