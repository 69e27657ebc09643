/** Converts an A2A message: content for the model, or a person's answer to a task's question. */
import type { Message, Part } from "@a2a-js/sdk";
import type { JsonValue } from "@capstan/core";
import type { UserPart } from "@capstan/core/internal";
import { z } from "zod";

export function contentOf({ parts }: Message): UserPart[] {
  return parts.flatMap(({ content, mediaType, filename }): UserPart[] => {
    const name = filename === "" ? {} : { filename };
    switch (content?.$case) {
      case "text":
        return content.value === "" ? [] : [{ type: "text", text: content.value }];
      case "data":
        return [{ type: "text", text: JSON.stringify(content.value ?? null) }];
      case "raw": {
        const source = { type: "data" as const, base64: Buffer.from(content.value).toString("base64") };
        return [{ type: "file", mediaType: mediaType || "application/octet-stream", source, ...name }];
      }
      case "url":
        return [
          {
            type: "file",
            mediaType: mediaType || "text/plain",
            source: { type: "url", url: content.value },
            ...name,
          },
        ];
      default:
        return [];
    }
  });
}

export interface A2aAnswer {
  readonly approve: boolean;
  readonly words?: string;
  readonly editedArguments?: JsonValue;
}

const Answer = z.object({
  approved: z.boolean(),
  editedArgs: z.record(z.string(), z.json()).optional(),
  reason: z.string().max(4000).optional(),
});
const YES = /^\s*(?:yes|approved?|ok(?:ay)?)[\s.!]*$/i;

/** Only a clear yes approves: anything else is a denial, with this text for the model. */
export function answerOf({ parts }: Message): A2aAnswer {
  const found = parts.map(answerIn).find((answer) => answer !== undefined);
  if (found) {
    const { approved, editedArgs, reason } = found;
    return {
      approve: approved,
      ...(reason !== undefined && { words: reason }),
      ...(editedArgs !== undefined && { editedArguments: editedArgs }),
    };
  }
  const words = parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("\n");
  return YES.test(words)
    ? { approve: true }
    : { approve: false, ...(words !== "" && { words: words.slice(0, 4000) }) };
}

const answerIn = ({ content }: Part): z.output<typeof Answer> | undefined =>
  content?.$case === "data" ? Answer.safeParse(content.value).data : undefined;
