/**
 * Opens connections only to checked addresses. The name is resolved here, once per connection,
 * and the socket gets the checked addresses themselves: an answer that changes between check and connect (DNS rebinding)
 * has no effect. A kept-alive connection stays with its address.
 */
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { markPassedOn } from "./passed-on.ts";
import { AddressRefusedError, refusedAddress } from "./refused-address.ts";
import type { AllowedHost } from "./url-policy.ts";

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Why an address may not be reached, or undefined. */
export type JudgeAddress = (address: string) => string | undefined;

/** HTTP over such connections. */
export function checkedAgent(
  allowed: AllowedHost,
  resolve: Resolve,
  judge: JudgeAddress | undefined,
  bodyTimeout: number,
): Agent {
  return new Agent({
    connect: checkedConnector(allowed, resolve, judge),
    allowH2: false,
    connections: 16, // for each origin
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0, // the guard's own timers are exact; undici's tick twice a second
    bodyTimeout,
  });
}

function checkedConnector(
  allowed: AllowedHost,
  resolve: Resolve,
  judge: JudgeAddress = refusedAddress,
): buildConnector.connector {
  const settings = { timeout: 10_000, allowH2: false };
  const open = buildConnector({ ...settings, lookup: lookupWith(resolve, () => undefined) });
  const checked = buildConnector({ ...settings, lookup: lookupWith(resolve, judge) });
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    if (allowed(options.hostname, port)) return open(options, marked(callback));
    const what = isIP(options.hostname) === 0 ? undefined : judge(options.hostname);
    if (what) return callback(new AddressRefusedError(`${options.hostname} is ${what}`), null);
    checked(options, (error, socket) => {
      // The second check costs nothing and holds even if a future Node resolves names differently.
      const reached = socket?.remoteAddress && judge(socket.remoteAddress);
      if (!reached) return error ? callback(error, null) : callback(null, socket);
      socket.destroy();
      callback(
        new AddressRefusedError(
          `${options.hostname} resolved to ${socket.remoteAddress}, which is ${reached}`,
        ),
        null,
      );
    });
  };
}

/** A host that the operator allowed may be this server: it must not take a tool for its own user. */
const marked =
  (callback: buildConnector.Callback): buildConnector.Callback =>
  (...answer) => {
    const [, socket] = answer;
    if (socket) markPassedOn(socket);
    callback(...answer);
  };

function lookupWith(resolve: Resolve, judge: JudgeAddress): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const wanted = addresses.filter((address) => !family || `IPv${isIP(address)}` === familyName(family));
        const reachable = wanted.filter((address) => judge(address) === undefined);
        const [first] = reachable;
        if (first === undefined) callback(noAddress(hostname, wanted, judge), "");
        else if (all)
          callback(
            null,
            reachable.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error) => callback(error, ""),
    );
  };
}

function familyName(family: number | "IPv4" | "IPv6"): string {
  return typeof family === "number" ? `IPv${family}` : family;
}

function noAddress(hostname: string, addresses: readonly string[], judge: JudgeAddress): Error {
  const [first] = addresses;
  if (first === undefined)
    return Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
  return new AddressRefusedError(`${hostname} resolves to ${first}, which is ${judge(first)}`);
}
