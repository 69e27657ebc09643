/**
 * A2A passes over unknown members, for extensions. A name one letter from a known one is refused, because `taskid` would start a new
 * task instead of answering one; so is a part with two contents, of which only one would be read.
 */
import { misspeltField } from "@capstan/core/internal";
import { z } from "zod";

/** Both spellings are the protocol's: clients may send JSON in either. */
const both = (...names: string[]): string[] =>
  names.flatMap((name) => [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);

const PARAMS = ["message", "configuration", "metadata", "tenant"];
const MESSAGE = both(
  "messageId",
  "contextId",
  "taskId",
  "role",
  "parts",
  "metadata",
  "extensions",
  "referenceTaskIds",
  "kind",
);
const CONFIGURATION = both(
  "acceptedOutputModes",
  "blocking",
  "returnImmediately",
  "historyLength",
  "pushNotificationConfig",
  "taskPushNotificationConfig",
);
const CONTENTS = ["text", "data", "raw", "url", "file"];

const Sent = z.object({
  method: z.enum(["SendMessage", "SendStreamingMessage", "message/send", "message/stream"]),
  params: z.looseObject({
    message: z.looseObject({ parts: z.array(z.looseObject({})).optional() }),
    configuration: z.looseObject({}).optional(),
  }),
});

/** What is wrong; undefined for what is not a message, which the protocol's own parser reads. */
export function misspeltMessage(body: string): string | undefined {
  const sent = Sent.safeParse(parsed(body));
  if (!sent.success) return undefined;
  const { params } = sent.data;
  const { message, configuration = {} } = params;
  const twofold = message.parts?.findIndex(
    (part) => CONTENTS.filter((name) => part[name] !== undefined).length > 1,
  );
  return (
    misspeltField(params, PARAMS) ??
    misspeltField(message, MESSAGE) ??
    misspeltField(configuration, CONFIGURATION) ??
    (twofold === undefined || twofold < 0 ? undefined : `message.parts[${twofold}] has more than one content`)
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
