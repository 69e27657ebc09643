/** Anthropic's Messages, as a stream and whole. */
import { pieces, type SimAnswer, type SimDialect, type SimFrame, textPieces } from "./sim-frames.ts";

const USAGE = {
  input_tokens: 100,
  output_tokens: 25,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 50,
};

export const messagesDialect: SimDialect = {
  frames(answer, { model }, serial) {
    const message = {
      id: `msg_${serial}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 1 },
    };
    const blocks = blocksOf(answer, serial);
    return [
      frame("message_start", { message }),
      ...blocks.flatMap((block, index) => block(index)),
      frame("message_delta", {
        delta: { stop_reason: answer.call ? "tool_use" : "end_turn", stop_sequence: null },
        usage: USAGE,
      }),
      frame("message_stop", {}),
    ];
  },
  whole: ({ text }, { model }, serial) => ({
    id: `msg_${serial}`,
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  error: (_, type, message) => ({ type: "error", error: { type, message } }),
};

const frame = (type: string, data: object): SimFrame => ({ event: type, data: { type, ...data } });
const delta = (index: number, change: object, isPaced = false): SimFrame => ({
  ...frame("content_block_delta", { index, delta: change }),
  isPaced,
});
type Block = (index: number) => SimFrame[];

function blocksOf(answer: SimAnswer, serial: number): Block[] {
  const { thinking, call } = answer;
  const text = block({ type: "text", text: "" }, (index) =>
    textPieces(answer).map((piece) => delta(index, { type: "text_delta", text: piece }, true)),
  );
  const thought =
    thinking === null
      ? []
      : [
          block({ type: "thinking", thinking: "", signature: "" }, (index) => [
            ...pieces(thinking, 20).map((piece) =>
              delta(index, { type: "thinking_delta", thinking: piece }, true),
            ),
            delta(index, { type: "signature_delta", signature: "c2lt" }),
          ]),
        ];
  const tool = call
    ? [
        block({ type: "tool_use", id: `toolu_sim${serial}`, name: call.tool.name, input: {} }, (index) =>
          pieces(JSON.stringify(call.input), 12).map((partial_json) =>
            delta(index, { type: "input_json_delta", partial_json }),
          ),
        ),
      ]
    : [];
  return [...thought, text, ...tool];
}

const block =
  (content_block: object, deltas: Block): Block =>
  (index) => [
    frame("content_block_start", { index, content_block }),
    ...deltas(index),
    frame("content_block_stop", { index }),
  ];
