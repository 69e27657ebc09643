/**
 * Where the answer to a trigger is delivered. Channels are a table given by the caller: `session` and `webhook` are ours,
 * capabilities add others. An unknown channel never stops the work: the run happens and is marked undelivered.
 */

import { Routing, type Trigger } from "@capstan/core/internal";
import { z } from "zod";

/** The part of a user's `preferences.json` that matters here. */
export const RoutingPreferences = z.looseObject({
  routing: Routing.optional(),
  capabilities: z.record(z.string(), z.looseObject({ routing: Routing.optional() })).optional(),
});
export type RoutingPreferences = z.infer<typeof RoutingPreferences>;

export interface ChannelRule {
  /** True when the channel requires a target, such as an address. */
  readonly needsTarget: boolean;
}

export type Delivery =
  | { readonly deliver: true; readonly channel: string; readonly target?: string }
  | { readonly deliver: false; readonly channel: string; readonly target?: string; readonly reason: string };

export const DEFAULT_CHANNEL = "session";

/** The trigger's own routing wins, then the user's preference for the capability, then the user's default, then `session`. */
export function decideDelivery(
  trigger: Pick<Trigger, "routing">,
  capability: string,
  preferences: RoutingPreferences | undefined,
  channels: Readonly<Record<string, ChannelRule>>,
): Delivery {
  const routing = trigger.routing ??
    preferences?.capabilities?.[capability]?.routing ??
    preferences?.routing ?? { channel: DEFAULT_CHANNEL };
  const { channel, target } = routing;
  const where = { channel, ...(target !== undefined && { target }) };
  const rule = Object.hasOwn(channels, channel) ? channels[channel] : undefined;
  if (!rule) {
    return {
      deliver: false,
      ...where,
      reason: `there is no channel "${channel}"; available: ${Object.keys(channels).join(", ")}`,
    };
  }
  if (rule.needsTarget && !target)
    return { deliver: false, ...where, reason: `the channel "${channel}" requires a target` };
  return { deliver: true, ...where };
}
