/** Google's generateContent, as a stream and whole. A side call that asks for JSON gets JSON that fits its schema. */
import { z } from "zod";
import { pieces, type SimDialect, type SimFrame, textPieces } from "./sim-frames.ts";

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
};

const chunk = (parts: readonly object[], serial: number, isThinking: boolean, isLast = false) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(isLast && { finishReason: "STOP" }) }],
  usageMetadata: {
    promptTokenCount: 120,
    candidatesTokenCount: 20,
    totalTokenCount: 150,
    thoughtsTokenCount: isThinking ? 10 : 0,
    cachedContentTokenCount: 40,
  },
  modelVersion: "sim",
  responseId: `r${serial}`,
});

export const geminiDialect: SimDialect = {
  frames(answer, _, serial) {
    const { thinking, call } = answer;
    const send = (parts: readonly object[], isPaced = false): SimFrame => ({
      data: chunk(parts, serial, thinking !== null),
      isPaced,
    });
    const last = call
      ? [
          {
            functionCall: { id: `call_sim${serial}`, name: call.tool.name, args: call.input },
            thoughtSignature: "c2lt",
          },
        ]
      : [{ text: "" }];
    return [
      ...pieces(thinking ?? "", 20).map((text) => send([{ text, thought: true }], true)),
      ...textPieces(answer).map((text) => send([{ text }], true)),
      { data: chunk(last, serial, thinking !== null, true) },
    ];
  },
  whole: ({ text }, { body }, serial) => chunk([{ text: jsonFor(body) ?? text }], serial, false, true),
  error: (status, _, message) => ({ error: { code: status, message, status: STATUS[status] ?? "INTERNAL" } }),
};

const config = z.looseObject({
  responseMimeType: z.string().optional(),
  responseJsonSchema: z.unknown().optional(),
  responseSchema: z.unknown().optional(),
});
const schemaShape = z.looseObject({
  properties: z
    .record(
      z.string(),
      z.looseObject({ type: z.unknown().optional(), enum: z.array(z.unknown()).optional() }),
    )
    .catch({}),
});
const VALUES: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  boolean: false,
  array: [],
  object: {},
};

function jsonFor(body: Readonly<Record<string, unknown>>): string | null {
  const parsed = config.safeParse(body.generationConfig);
  if (!parsed.success || parsed.data.responseMimeType !== "application/json") return null;
  const { properties } = schemaShape
    .catch({ properties: {} })
    .parse(parsed.data.responseJsonSchema ?? parsed.data.responseSchema);
  const filled = Object.entries(properties).map(([name, property]) => {
    return [name, property.enum?.[0] ?? VALUES[String(property.type).toLowerCase()] ?? "sim"];
  });
  return JSON.stringify(Object.fromEntries(filled));
}
