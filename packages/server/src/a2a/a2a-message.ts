/** Converts an A2A message: content for the model, or a person's answer to a task's question. */
import type { Message, Part } from "@a2a-js/sdk";
import { fail, type JsonValue, ok, type Result } from "@capstan/core";
import { readInput, type UserPart } from "@capstan/core/internal";
import { z } from "zod";

/** Every part, or a refusal that names the part: otherwise the model would silently answer without it. */
export function contentOf({ parts }: Pick<Message, "parts">): Result<UserPart[]> {
  const content: UserPart[] = [];
  for (const [at, part] of parts.entries()) {
    const read = userPart(part);
    if (typeof read === "string") return fail("input_invalid", { where: `message.parts[${at}]: ${read}` });
    content.push(...read);
  }
  return ok(content);
}

/** A string: why the part cannot be used. */
function userPart({ content, mediaType, filename }: Part): UserPart[] | string {
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
    case "url": {
      if (!URL.canParse(content.value)) return `${JSON.stringify(content.value)} is not a URL`;
      const source = { type: "url" as const, url: content.value };
      return [{ type: "file", mediaType: mediaType || "text/plain", source, ...name }];
    }
    default:
      return "it has no text, data, raw or url";
  }
}

export interface A2aAnswer {
  readonly approve: boolean;
  readonly words?: string;
  readonly editedArguments?: JsonValue;
}

const Answer = z.strictObject({
  approved: z.boolean(),
  editedArgs: z.record(z.string(), z.json()).optional(),
  reason: z.string().max(4000).optional(),
});
const YES = /^\s*(?:yes|approved?|ok(?:ay)?)[\s.!]*$/i;

/**
 * Only a clear yes approves. Plain text that is none denies, and the model gets it; a data part that is not an answer is
 * refused and the question stays: ignoring a misspelt `editedArgs` would run the unedited call.
 */
export function answerOf({ parts }: Pick<Message, "parts">): Result<A2aAnswer> {
  const data = parts.flatMap(({ content }) => (content?.$case === "data" ? [content.value] : []));
  if (data.length > 1) return fail("input_invalid", { where: "message.parts: more than one data part" });
  if (data.length === 1) {
    const answer = answerIn(data[0]);
    return answer.ok && parts.length > 1 ? fail("input_invalid", { where: BESIDE }) : answer;
  }
  if (parts.some(({ content }) => content?.$case !== "text"))
    return fail("input_invalid", { where: "message.parts: an answer is a text or a data part" });
  const words = parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("\n");
  return ok(
    YES.test(words)
      ? { approve: true }
      : { approve: false, ...(words.trim() !== "" && { words: words.slice(0, 4000) }) },
  );
}

const BESIDE = "message.parts: an answer is one data part; what is said about it belongs in its `reason`";

function answerIn(value: unknown): Result<A2aAnswer> {
  const read = readInput(Answer, value);
  if (!read.ok) return fail("input_invalid", { where: `the answer: ${read.where}`, issues: read.faults });
  const { approved, editedArgs, reason } = read.value;
  return ok({
    approve: approved,
    ...(reason !== undefined && { words: reason }),
    ...(editedArgs !== undefined && { editedArguments: editedArgs }),
  });
}
