/** The studio's connection to its server, and how responses are adapted for React. */
import { createApi } from "@capstan/client";
import type { Failure, Result } from "@capstan/core";
import { reportReached, reportUnreachable } from "./reachability.ts";

const KEY_PLACE = "capstan.key";

/** Only required where the server is not on loopback. Stored for this tab; a shared machine must not keep it. */
export const storedKey = (): string | undefined => sessionStorage.getItem(KEY_PLACE) ?? undefined;
export const storeKey = (key: string): void => sessionStorage.setItem(KEY_PLACE, key);

/** The address that a server prints on systems that do not tell who connects; the token leaves the address bar at once. */
const token = /^#token=(local_[\w-]+)$/.exec(location.hash)?.[1];
if (token !== undefined) {
  storeKey(token);
  history.replaceState(null, "", location.pathname + location.search);
}

export const api = createApi({
  key: storedKey,
  fetch: async (input, init) => {
    try {
      const response = await fetch(input, init);
      reportReached();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) reportUnreachable();
      throw error;
    }
  },
});

/** A refusal in the form react-query expects: thrown, with the server's message. */
export class Refusal extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export async function orThrow<T>(answer: Promise<Result<T>>): Promise<T> {
  const result = await answer;
  if (!result.ok) throw new Refusal(result.failure);
  return result.value;
}

export const failureOf = (error: unknown): Failure =>
  error instanceof Refusal
    ? error.failure
    : {
        code: "studio_broken",
        status: 500,
        message: error instanceof Error ? error.message : String(error),
        nextStep: "Reload the page. If it happens again, please report it.",
      };

/** True when this server has no such route, as opposed to a missing object. */
export const isMissingPart = ({ status, message }: Failure): boolean =>
  status === 404 && message.startsWith("There is no route");
