/** OpenAI's Responses, as a stream and whole. Tools are functions, or free text for Codex' own `exec`. */

import { pieces, type SimAnswer, type SimDialect, type SimFrame, textPieces } from "./sim-frames.ts";
import type { SimCall } from "./sim-plan.ts";
import type { SimRequest } from "./sim-request.ts";

export const responsesDialect: SimDialect = {
  frames(answer, request, serial) {
    const base = baseOf(request, serial);
    const items = itemsOf(answer, serial);
    const raw = [
      frame("response.created", { response: base }),
      frame("response.in_progress", { response: base }),
      ...items.flatMap(({ frames }, index) => frames(index)),
      frame("response.completed", { response: completed(base, answer, items) }),
    ];
    return raw.map(({ data, ...rest }, sequence_number) => ({
      ...rest,
      data: { ...(data as object), sequence_number },
    }));
  },
  whole: (answer, request, serial) => {
    const plain = { ...answer, call: null, thinking: null, isSlow: false };
    return completed(baseOf(request, serial), plain, itemsOf(plain, serial));
  },
  error: (_, type, message) => ({ error: { message, type, code: type } }),
};

interface Item {
  readonly done: object;
  readonly frames: (outputIndex: number) => SimFrame[];
}

const frame = (type: string, data: object): SimFrame => ({ event: type, data: { type, ...data } });

const baseOf = ({ model }: SimRequest, serial: number) => ({
  id: `resp_${serial}`,
  object: "response",
  created_at: 1,
  model,
  status: "in_progress",
  output: [],
  usage: null,
  parallel_tool_calls: false,
  tool_choice: "auto",
  tools: [],
});

const completed = (base: object, { thinking }: SimAnswer, items: readonly Item[]) => ({
  ...base,
  status: "completed",
  output: items.map(({ done }) => done),
  usage: {
    input_tokens: 120,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: thinking ? 12 : 0 },
    total_tokens: 150,
  },
});

function itemsOf(answer: SimAnswer, serial: number): Item[] {
  const { thinking, call } = answer;
  return [
    ...(thinking === null ? [] : [reasoningItem(thinking, serial)]),
    call ? (call.tool.isSearch ? searchItem : callItem)(call, serial) : messageItem(answer, serial),
  ];
}

function reasoningItem(text: string, serial: number): Item {
  const empty = { type: "reasoning", id: `rs_${serial}`, summary: [], encrypted_content: "ZW5j" };
  const done = { ...empty, summary: [{ type: "summary_text", text }] };
  return {
    done,
    frames(output_index) {
      const at = { item_id: empty.id, output_index, summary_index: 0 };
      const part = (value: string) => ({ part: { type: "summary_text", text: value } });
      return [
        frame("response.output_item.added", { output_index, item: empty }),
        frame("response.reasoning_summary_part.added", { ...at, ...part("") }),
        ...pieces(text, 20).map((delta) => ({
          ...frame("response.reasoning_summary_text.delta", { ...at, delta }),
          isPaced: true,
        })),
        frame("response.reasoning_summary_text.done", { ...at, text }),
        frame("response.reasoning_summary_part.done", { ...at, ...part(text) }),
        frame("response.output_item.done", { output_index, item: done }),
      ];
    },
  };
}

function messageItem(answer: SimAnswer, serial: number): Item {
  const parts = textPieces(answer);
  const content = (text: string) => ({ type: "output_text", text, annotations: [] });
  const message = { type: "message", id: `msg_${serial}`, role: "assistant" };
  const done = { ...message, status: "completed", content: [content(parts.join(""))] };
  return {
    done,
    frames(output_index) {
      const at = { item_id: message.id, output_index, content_index: 0 };
      const delta = (text: string): SimFrame => ({
        ...frame("response.output_text.delta", { ...at, delta: text }),
        isPaced: true,
      });
      return [
        frame("response.output_item.added", {
          output_index,
          item: { ...message, status: "in_progress", content: [] },
        }),
        frame("response.content_part.added", { ...at, part: content("") }),
        ...parts.map(delta),
        frame("response.output_text.done", { ...at, text: parts.join("") }),
        frame("response.content_part.done", { ...at, part: content(parts.join("")) }),
        frame("response.output_item.done", { output_index, item: done }),
      ];
    },
  };
}

function searchItem({ input }: SimCall, serial: number): Item {
  const call = { type: "tool_search_call", id: `tsc_${serial}`, call_id: `call_sim${serial}` };
  const done = { ...call, status: "completed", execution: "client", arguments: input };
  return {
    done,
    frames: (output_index) => [
      frame("response.output_item.added", { output_index, item: { ...done, status: "in_progress" } }),
      frame("response.output_item.done", { output_index, item: done }),
    ],
  };
}

function callItem({ tool, input, text }: SimCall, serial: number): Item {
  const call = { call_id: `call_sim${serial}`, name: tool.name, status: "completed" };
  const inNamespace = tool.namespace === undefined ? {} : { namespace: tool.namespace };
  const json = JSON.stringify(input);
  const done = tool.isCustom
    ? { type: "custom_tool_call", id: `ctc_${serial}`, ...call, ...inNamespace, input: text }
    : { type: "function_call", id: `fc_${serial}`, ...call, ...inNamespace, arguments: json };
  const added = { ...done, status: "in_progress", ...(tool.isCustom ? {} : { arguments: "" }) };
  return {
    done,
    frames(output_index) {
      const at = { item_id: done.id, output_index };
      const streamed = tool.isCustom
        ? []
        : [
            ...pieces(json, 12).map((delta) =>
              frame("response.function_call_arguments.delta", { ...at, delta }),
            ),
            frame("response.function_call_arguments.done", { ...at, arguments: json }),
          ];
      return [
        frame("response.output_item.added", { output_index, item: added }),
        ...streamed,
        frame("response.output_item.done", { output_index, item: done }),
      ];
    },
  };
}
