/**
 * Sends spans to an OpenTelemetry collector, over OTLP/HTTP in JSON. Hand-written because the official packages are larger
 * than all of core; best effort: an unreachable collector loses spans, but never affects a call.
 */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: 1 | 3;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  readonly failed?: boolean;
  readonly events?: readonly SpanEvent[];
}

/** Something that happened in the span at one moment. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Span["attributes"];
}

/** `double`: also for whole numbers; collectors distinguish both types. */
type AttributeValue = string | number | boolean | readonly string[] | { readonly double: number };

export interface SpanExporter {
  export(spans: readonly Span[]): void;
  close(): Promise<void>;
}

export interface ExporterOptions {
  /** The collector's base URL: spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly service: { readonly name: string; readonly version: string };
  readonly onError?: (error: unknown) => void;
}

const FLUSH_MS = 1000;
const MOST_WAITING = 5000; // an unreachable collector must not fill the memory
const MOST_AT_ONCE = 500;
const SEND_MS = 5000;

export function openSpanExporter({ endpoint, headers, service, onError }: ExporterOptions): SpanExporter {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  let waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let complained = false;

  const send = async (spans: readonly Span[]): Promise<void> => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(otlpBody(spans, service)),
        signal: AbortSignal.timeout(SEND_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the collector answered ${response.status}`);
      complained = false;
    } catch (error) {
      if (!complained) onError?.(error); // once, until it recovers
      complained = true;
    }
  };
  const flush = (): Promise<void> => {
    sending ??= (async () => {
      while (waiting.length > 0) await send(waiting.splice(0, MOST_AT_ONCE));
    })().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  const timer = setInterval(flush, FLUSH_MS);
  timer.unref();

  return {
    export(spans) {
      waiting.push(...spans.slice(0, Math.max(0, MOST_WAITING - waiting.length)));
    },
    async close() {
      clearInterval(timer);
      await flush();
      waiting = [];
    },
  };
}

function otlpBody(spans: readonly Span[], { name, version }: ExporterOptions["service"]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ "service.name": name, "service.version": version }) },
        scopeSpans: [{ scope: { name: "capstan", version }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

const OK = 1;
const ERROR = 2;

const otlpSpan = ({ startMs, endMs, attributes, failed, events = [], ...span }: Span) => ({
  ...span,
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: attributesOf(attributes),
  status: { code: failed ? ERROR : OK },
  events: events.map(({ name, atMs, attributes: of }) => ({
    name,
    timeUnixNano: nanoseconds(atMs),
    attributes: attributesOf(of),
  })),
});

/** As text: a double cannot represent them. */
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`;

function attributesOf(values: Span["attributes"]) {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: AttributeValue): Record<string, unknown> {
  if (typeof value === "object" && "double" in value) return { doubleValue: value.double };
  if (typeof value === "object") return { arrayValue: { values: value.map(otlpValue) } };
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
