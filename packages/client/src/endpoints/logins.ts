/** Clients that log in, and the tokens in force. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  ActiveToken,
  ClientLoginAnswer,
  ClientLoginAnswered,
  ClientLoginAsk,
  ClientLoginReview,
} from "../wire/client-logins.ts";

const part = encodeURIComponent;

export const tokenEndpoints = ({ json }: Connection) => ({
  ...pagedList<ActiveToken>({ json }, "/v1/tokens"),
  revoke: (id: string) => json<void>("DELETE", `/v1/tokens/${part(id)}`),
});

export const clientLoginEndpoints = ({ json }: Connection) => ({
  review: (ask: ClientLoginAsk, signal?: AbortSignal) =>
    json<ClientLoginReview>("POST", "/v1/client-logins/review", { json: ask, signal }),
  answer: (answer: ClientLoginAnswer) =>
    json<ClientLoginAnswered>("POST", "/v1/client-logins", { json: answer }),
});
