/**
 * Questions of a run: who answers them, and what becomes of an approval that changes the arguments.
 *
 * Where the protocol takes changed arguments, they go with the approval. Everywhere else approving would run the original
 * call, so it is denied and the model is told the call to make instead; when it makes exactly that one, nobody is asked again.
 */
import { isDeepStrictEqual } from "node:util";
import type { AdapterEvent, CodingAgentEvent, RunCommand } from "@capstan/core/internal";

type Asked = Extract<CodingAgentEvent, { type: "approval-requested" }>;

export interface QuestionRules {
  /** Whether an approval may carry changed arguments. */
  readonly takesEdits: boolean;
  /** Whether a refusal's reason reaches the model. */
  readonly carriesReasons: boolean;
}

export class RunQuestions {
  readonly #asked = new Map<string, Asked>();
  /** Calls that a person laid out and the model has not made yet. */
  readonly #expected: { readonly tool: string; readonly input: unknown }[] = [];

  /** Remembers a question. True when it is the call that a person asked for: it needs no other answer. */
  note(event: Asked): boolean {
    const at = this.#expected.findIndex(
      ({ tool, input }) => tool === event.tool && isDeepStrictEqual(input, event.input),
    );
    if (at !== -1) {
      this.#expected.splice(at, 1);
      return true;
    }
    this.#asked.set(event.id, event);
    return false;
  }

  /** Whether the input is another than the one that was asked about. */
  isEdited(id: string, input: unknown): boolean {
    return input !== undefined && !isDeepStrictEqual(input, this.#asked.get(id)?.input);
  }

  /** The commands that an approval comes to, and what to tell about it. */
  approve(
    id: string,
    input: unknown,
    { takesEdits, carriesReasons }: QuestionRules,
  ): { commands: RunCommand[]; events: AdapterEvent[] } {
    const asked = this.#asked.get(id);
    if (!asked || !this.isEdited(id, input)) return { commands: [{ type: "approve", id }], events: [] };
    if (takesEdits) return { commands: [{ type: "approve", id, input }], events: [] };
    const { tool } = asked;
    this.#expected.push({ tool, input });
    const reason = correction(tool, input);
    const send: RunCommand[] = carriesReasons ? [] : [{ type: "send", text: reason }];
    return {
      commands: [{ type: "deny", id, reason }, ...send],
      events: [{ type: "warning", code: "approval_edit_denied", message: EDIT_DENIED(tool) }],
    };
  }
}

const correction = (tool: string, input: unknown): string =>
  `A person refused this call of ${tool} and approved another one instead. Make exactly this call now: ${tool} ${JSON.stringify(input)}`;

const EDIT_DENIED = (tool: string) =>
  `This agent cannot take changed arguments: the call of ${tool} was denied, and the model was asked to make the changed one.`;
