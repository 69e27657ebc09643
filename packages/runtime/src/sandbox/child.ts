/**
 * The sandbox child: loads one interpreter, drops its privileges, and runs what the server sends, one run at a time.
 *
 * It writes with `writeSync`, so that output is sent even if the program never returns to the event loop.
 */
import { readFileSync, writeSync } from "node:fs";
import { loadBash } from "./bash-interpreter.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import type { Interpreter, LoadInterpreter } from "./interpreter.ts";
import { loadJavascript } from "./javascript-interpreter.ts";
import { lockDown } from "./lock-down.ts";
import { loadPython } from "./python-interpreter.ts";

const LOADERS: Readonly<Record<string, LoadInterpreter>> = {
  javascript: loadJavascript,
  python: loadPython,
  bash: loadBash,
};
const CHANNEL = 3; // a separate pipe: an interpreter that prints to stdout must not corrupt the frames
const LIMITS = { headBytes: 8 * 1024 * 1024, fileBytes: 2 ** 31 }; // the server has validated what it sends

interface RunHead {
  code: string;
  timeoutMs: number;
  memoryMb: number;
  fileBytes: number;
  outputBytes: number;
}

const own = process;
const [language = "", entry = "", uids = "", snapshotFile = ""] = own.argv.slice(2);
const load = LOADERS[language];
if (!load) throw new Error(`no interpreter for ${language}`);
const { run: interpreter, snapshot } = await load(
  entry,
  snapshotFile ? readFileSync(snapshotFile) : undefined,
);
lockDown(uids.split(",").filter(Boolean).map(Number));

const reader = new FrameReader(LIMITS);
own.stdin.on("data", (chunk: Buffer) => {
  for (const frame of reader.push(chunk)) void serve(interpreter, frame);
});
own.stdin.on("end", () => own.exit(0));
send({ type: "ready" }, snapshot && new Map([["snapshot", snapshot]]));

async function serve(run: Interpreter, { head, files }: Frame): Promise<void> {
  const request = head as RunHead;
  const left = { stdout: request.outputBytes, stderr: request.outputBytes };
  try {
    const { changed, ...outcome } = await run({
      ...request,
      files: files as ReadonlyMap<string, Uint8Array>,
      write(stream, text) {
        const part = text.slice(0, left[stream]);
        left[stream] -= part.length;
        if (part) send({ type: "output", stream, text: part });
      },
    });
    const bytes = [...changed.values()].reduce((sum, content) => sum + (content?.byteLength ?? 0), 0);
    if (bytes > request.fileBytes) send({ type: "done", exit: "error", exitCode: 1, tooLarge: bytes });
    else send({ type: "done", ...outcome }, changed);
  } catch (error) {
    send({ type: "done", exit: "error", exitCode: 1, broke: String(error).slice(0, 2000) });
  }
}

function send(head: object, files?: ReadonlyMap<string, Uint8Array | null>): void {
  for (const part of encodeFrame(head, files)) {
    for (let at = 0; at < part.length; ) at += writeSync(CHANNEL, part, at);
  }
}
