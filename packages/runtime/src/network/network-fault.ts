/** Network errors as readable messages. */

const FAULTS: Record<string, string> = {
  ENOTFOUND: "its name does not resolve",
  EAI_AGAIN: "its name could not be resolved just now",
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the server closed the connection",
  EPIPE: "the server closed the connection",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the server closed the connection",
  UND_ERR_HEADERS_OVERFLOW: "the response headers are too large",
};

export function networkFault(error: unknown): string {
  const { code, name, message } = firstError(error);
  if (code && FAULTS[code]) return FAULTS[code];
  if (name === "HTTPParserError") return "the response is not HTTP";
  if (/^(CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL_)/.test(code ?? ""))
    return `its certificate is not trusted (${message})`;
  return message;
}

/** An attempt at several addresses fails with one error per address; an SDK keeps the system's error as its cause. */
function firstError(error: unknown): { code?: string; name?: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return firstError(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: string };
  return code === undefined && error.cause instanceof Error ? firstError(error.cause) : error;
}
