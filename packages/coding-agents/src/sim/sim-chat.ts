/** OpenAI's Chat Completions, as a stream and whole. */
import { pieces, type SimDialect, type SimFrame, textPieces } from "./sim-frames.ts";

const usage = (isThinking: boolean) => ({
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: isThinking ? 12 : 0 },
});

export const chatDialect: SimDialect = {
  frames(answer, { model }, serial) {
    const base = { id: `chatcmpl-${serial}`, created: 1, model, object: "chat.completion.chunk" };
    const chunk = (delta: object, finish_reason: string | null = null, isPaced = false): SimFrame => ({
      data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
      isPaced,
    });
    const { call, thinking } = answer;
    const name = { index: 0, id: `call_sim${serial}`, type: "function" };
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(thinking ?? "", 20).map((reasoning_content) => chunk({ reasoning_content }, null, true)),
      ...textPieces(answer).map((content) => chunk({ content }, null, true)),
      ...(call
        ? [
            chunk({
              tool_calls: [
                { ...name, function: { name: call.tool.name, arguments: JSON.stringify(call.input) } },
              ],
            }),
          ]
        : []),
      chunk({}, call ? "tool_calls" : "stop"),
      { data: { ...base, choices: [], usage: usage(thinking !== null) } },
      { data: "[DONE]" },
    ];
  },
  whole: ({ text }, { model }, serial) => ({
    id: `chatcmpl-${serial}`,
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: usage(false),
  }),
  error: (_, type, message) => ({ error: { message, type, code: type } }),
};
