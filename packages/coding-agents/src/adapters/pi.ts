/**
 * Adapter for Pi: its RPC mode, in which it can be stopped without dying.
 *
 * Pi has no permissions: its tools always run. So `deny` disables them, and `prompt` is refused in advance.
 */

import type { AdapterRun, RunOptions, RunPlace } from "@capstan/core/internal";
import { piManifest } from "../manifests/pi.ts";
import { commandModels } from "../models/model-sources.ts";
import { piModels } from "../models/pi.ts";
import { readPiModels } from "../models/read-model-lists.ts";
import { piSessions } from "../sessions/pi-sessions.ts";
import { flagDialect } from "../thinking/thinking-dialects.ts";
import type { AcpQuirks } from "./acp-reader.ts";
import { defineAdapter } from "./define-adapter.ts";
import { piPrompt, piReader } from "./pi-reader.ts";
import { flag, isImageFile, withFileTexts } from "./run-parts.ts";

/** Where its ACP differs from the protocol's. */
const QUIRKS: AcpQuirks = { banner: /^pi v\d[\w.-]*\n---\n/, silenceIsFailure: true };

export const piAdapter = defineAdapter({
  manifest: piManifest,
  environment: /^(PI_|[A-Z0-9_]+_API_KEY$|AWS_|GOOGLE_)/,
  thinking: [flagDialect("--thinking", "thinking", "thought_level")],
  models: piModels,
  modelSource: commandModels(["pi", "--list-models"], readPiModels),
  reader: () => piReader({ terminal: "agent_settled" }),
  quirks: QUIRKS,
  stateVariables: /^PI_CODING_AGENT_DIR$/,
  sessions: piSessions,
  hidesNativeTools: true,
  open: openRpc,
});

function openRpc(options: RunOptions, place: RunPlace): AdapterRun {
  const { systemPrompt, skills = [], approvalMode, sessionId, forkSessionId } = options;
  const instructions = `${place.folder}/instructions.md`;
  const images = place.attachments
    .filter(isImageFile)
    .map(({ data, mimeType }) => ({ type: "image", data, mimeType }));
  const others = place.attachments.filter((attachment) => !isImageFile(attachment));
  return {
    argv: [
      ...["pi", "--mode", "rpc"],
      ...flag("--model", place.model),
      ...place.thinking.argv,
      ...(forkSessionId === undefined ? flag("--session", sessionId) : ["--fork", forkSessionId]),
      ...((sessionId ?? forkSessionId) === undefined ? ["--session-id", place.freshSessionId] : []),
      ...(systemPrompt === undefined ? [] : ["--append-system-prompt", instructions]),
      ...skills.flatMap((path) => ["--skill", path]),
      ...(approvalMode === "yolo" && place.nativeTools === "on" ? [] : ["--no-builtin-tools"]),
    ],
    env: { ...place.thinking.env },
    files: systemPrompt === undefined ? [] : [{ path: instructions, content: systemPrompt }],
    stdin: [
      JSON.stringify({ id: "state", type: "get_state" }),
      piPrompt("prompt", withFileTexts(options.prompt, others), images),
    ],
    ...piReader({ terminal: "agent_settled" }),
  };
}
