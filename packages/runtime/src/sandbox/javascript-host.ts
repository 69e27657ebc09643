/** Host functions for the JavaScript prelude: files, timers, printing. Nothing else of this process is exposed. */
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten";
import { FileError, type MemoryFiles, normalize } from "./memory-files.ts";

/** Timer id to its due time. */
export type Timers = Map<number, number>;

export interface Host {
  readonly files: MemoryFiles;
  readonly timers: Timers;
  print(stream: "stdout" | "stderr", text: string): void;
  exit(code: number): void;
}

const TIMERS = 10_000; // far more than programs need, few enough to sort

export function hostFunctions(context: QuickJSContext, host: Host): QuickJSHandle {
  const { files, timers } = host;
  const text = (handle: QuickJSHandle) => context.getString(handle);
  const number = (handle: QuickJSHandle) => context.getNumber(handle);
  const bytes = (content: Uint8Array) => context.newArrayBuffer(content.slice().buffer as ArrayBuffer);
  const functions: Record<string, (...args: QuickJSHandle[]) => QuickJSHandle | undefined> = {
    print: (stream, line) => {
      if (stream && line) host.print(text(stream) === "stderr" ? "stderr" : "stdout", text(line));
      return undefined;
    },
    exit: (code) => {
      host.exit(code ? number(code) : 0);
      return undefined;
    },
    readText: (path) => path && context.newString(new TextDecoder().decode(files.read(text(path)))),
    readBytes: (path) => path && bytes(files.read(text(path))),
    size: (path) => path && context.newNumber(files.read(text(path)).byteLength),
    write: (path, content) => {
      if (path && content) files.write(text(path), contentOf(context, content));
      return undefined;
    },
    kind: (path) => {
      const kind = path && files.kind(text(path));
      return kind ? context.newString(kind) : undefined;
    },
    list: (path) => path && context.newString(JSON.stringify(files.list(text(path)))),
    makeDirectory: (path) => {
      if (path) files.makeDirectory(text(path));
      return undefined;
    },
    remove: (path, recursive) => {
      if (path) files.remove(text(path), recursive ? context.dump(recursive) === true : false);
      return undefined;
    },
    normalize: (path) => path && context.newString(normalize(text(path))),
    encode: (value) => value && bytes(new TextEncoder().encode(text(value))),
    decode: (value) => value && context.newString(new TextDecoder().decode(contentOf(context, value))),
    startTimer: (id, delay) => {
      if (timers.size >= TIMERS) throw new FileError("EAGAIN", String(TIMERS), "too many timers");
      if (id && delay) timers.set(number(id), Date.now() + number(delay));
      return undefined;
    },
    clearTimer: (id) => {
      if (id) timers.delete(number(id));
      return undefined;
    },
  };
  const object = context.newObject();
  for (const [name, run] of Object.entries(functions)) {
    const handle = context.newFunction(name, (...args) => answer(context, () => run(...args)));
    context.setProp(object, name, handle);
    handle.dispose();
  }
  return object;
}

function contentOf(context: QuickJSContext, handle: QuickJSHandle): Uint8Array {
  if (context.typeof(handle) === "string") return new TextEncoder().encode(context.getString(handle));
  const lifetime = context.getArrayBuffer(handle);
  try {
    return lifetime.value.slice();
  } finally {
    lifetime.dispose();
  }
}

/** A failure is passed as a plain object with Node's error code; the prelude throws it inside the guest. */
function answer(context: QuickJSContext, run: () => QuickJSHandle | undefined): QuickJSHandle {
  try {
    return run() ?? context.undefined;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const failed = context.newObject();
    context.setProp(failed, "__failed", context.true);
    context.setProp(failed, "message", context.newString(error.message));
    context.setProp(failed, "code", context.newString(error.code));
    return failed;
  }
}
