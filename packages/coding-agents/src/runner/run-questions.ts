/**
 * Questions of a run: who answers them, and how an approval with edited arguments is handled.
 *
 * Where the protocol accepts edited arguments, they are sent with the approval. Elsewhere approving would run the original
 * call, so it is denied and the model is told which call to make; when it makes exactly that one, nobody is asked again.
 */
import { isDeepStrictEqual } from "node:util";
import type { AdapterEvent, CodingAgentEvent, RunCommand } from "@capstan/core/internal";

type Asked = Extract<CodingAgentEvent, { type: "approval-requested" }>;

export interface QuestionRules {
  /** Whether an approval can contain edited arguments. */
  readonly takesEdits: boolean;
  /** Whether the reason for a denial reaches the model. */
  readonly carriesReasons: boolean;
}

export class RunQuestions {
  readonly #asked = new Map<string, Asked>();
  /** Edited calls that the model has not made yet. */
  readonly #expected: { readonly tool: string; readonly input: unknown }[] = [];

  /** Records a question. True when it is the edited call that a person already approved. */
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

  /** Whether the input differs from the original. */
  isEdited(id: string, input: unknown): boolean {
    return input !== undefined && !isDeepStrictEqual(input, this.#asked.get(id)?.input);
  }

  /** The commands for an approval, and what to report. */
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
  `A person denied this call of ${tool} and approved another one instead. Make exactly this call now: ${tool} ${JSON.stringify(input)}`;

const EDIT_DENIED = (tool: string) =>
  `This agent does not support edited arguments: the call of ${tool} was denied, and the model was asked to make the edited one.`;
