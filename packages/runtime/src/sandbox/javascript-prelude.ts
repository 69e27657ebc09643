/**
 * The globals of JavaScript in the sandbox, as source that runs in QuickJS before the user's code.
 *
 * It is a string because it must not see this process: it can only access `__host`, which it then hides.
 */
export const JAVASCRIPT_PRELUDE = String.raw`
(() => {
  const host = globalThis.__host;
  delete globalThis.__host;
  const call = (name, ...args) => {
    const answer = host[name](...args);
    if (answer && typeof answer === "object" && answer.__failed) {
      throw Object.assign(new Error(answer.message), { code: answer.code });
    }
    return answer;
  };
  const show = (value, depth = 0) => {
    if (typeof value === "string") return depth ? JSON.stringify(value) : value;
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "function") return "[Function " + (value.name || "anonymous") + "]";
    if (value instanceof Error) return value.name + ": " + value.message + (value.stack ? "\n" + value.stack.trimEnd() : "");
    if (value === null || typeof value !== "object") return String(value);
    if (depth > 4) return "[...]";
    if (value instanceof Map) return "Map " + show(Object.fromEntries(value), depth + 1);
    if (value instanceof Set) return "Set " + show([...value], depth + 1);
    if (value instanceof Date) return value.toISOString();
    if (ArrayBuffer.isView(value)) return value.constructor.name + "(" + value.length + ") [" + Array.from(value.subarray(0, 50)) + "]";
    if (Array.isArray(value)) return "[" + value.slice(0, 100).map((item) => show(item, depth + 1)).join(", ") + (value.length > 100 ? ", ... " + (value.length - 100) + " more" : "") + "]";
    return "{" + Object.keys(value).map((key) => key + ": " + show(value[key], depth + 1)).join(", ") + "}";
  };
  const line = (stream) => (...values) => { host.print(stream, values.map((value) => show(value)).join(" ") + "\n"); };
  const log = line("stdout");
  const warn = line("stderr");
  globalThis.console = { log, info: log, debug: log, table: log, dir: log, warn, error: warn, trace: warn };

  const bytesOf = (data) => {
    if (typeof data === "string") return data;
    if (data instanceof ArrayBuffer) return data;
    if (ArrayBuffer.isView(data)) return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    return String(data);
  };
  const wantsText = (options) => typeof options === "string" || Boolean(options && options.encoding);
  const readFileSync = (path, options) =>
    wantsText(options) ? call("readText", String(path)) : new Uint8Array(call("readBytes", String(path)));
  const writeFileSync = (path, data) => { call("write", String(path), bytesOf(data)); };
  const kind = (path) => call("kind", String(path));
  const existsSync = (path) => Boolean(kind(path));
  const statSync = (path) => {
    const is = kind(path);
    const size = is === "directory" ? 0 : call("size", String(path));
    return { size, isFile: () => is === "file", isDirectory: () => is === "directory" };
  };
  const appendFileSync = (path, data) => {
    const old = existsSync(path) ? new Uint8Array(call("readBytes", String(path))) : new Uint8Array(0);
    const more = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(bytesOf(data));
    const all = new Uint8Array(old.length + more.length);
    all.set(old);
    all.set(more, old.length);
    writeFileSync(path, all);
  };
  const rmSync = (path, options = {}) => {
    if (options.force && !existsSync(path)) return;
    call("remove", String(path), Boolean(options.recursive));
  };
  const unlinkSync = (path) => { call("remove", String(path), false); };
  const copyFileSync = (from, to) => { writeFileSync(to, readFileSync(from)); };
  const renameSync = (from, to) => { copyFileSync(from, to); unlinkSync(from); };
  const mkdirSync = (path) => { call("makeDirectory", String(path)); };
  const readdirSync = (path) => JSON.parse(call("list", String(path)));
  const sync = { readFileSync, writeFileSync, appendFileSync, existsSync, statSync, rmSync, unlinkSync, rmdirSync: rmSync,
    copyFileSync, renameSync, mkdirSync, readdirSync };
  const promises = {};
  for (const [name, run] of Object.entries(sync)) promises[name.slice(0, -4)] = async (...args) => run(...args);
  const fs = { ...sync, promises };

  const normalize = (path) => call("normalize", path);
  const path = {
    sep: "/",
    join: (...parts) => { const whole = parts.join("/"); const flat = normalize(whole); return whole.startsWith("/") ? flat : flat.slice(1) || "."; },
    resolve: (...parts) => normalize(parts.reduce((all, part) => (part.startsWith("/") ? part : all + "/" + part), "/")),
    basename: (name, ext) => { const base = name.replace(/\/+$/, "").split("/").pop(); return ext && base.endsWith(ext) ? base.slice(0, -ext.length) : base; },
    dirname: (name) => { const at = name.lastIndexOf("/"); return at > 0 ? name.slice(0, at) : at === 0 ? "/" : "."; },
    extname: (name) => { const base = name.split("/").pop(); const at = base.lastIndexOf("."); return at > 0 ? base.slice(at) : ""; },
  };

  const modules = { fs, path, "fs/promises": promises };
  globalThis.__modules = modules;
  globalThis.fs = fs;
  globalThis.path = path;
  globalThis.require = (name) => {
    const found = modules[String(name).replace(/^node:/, "")];
    if (found) return found;
    if (/\.json$/.test(name)) return JSON.parse(call("readText", String(name)));
    throw Object.assign(new Error("Cannot find module '" + name + "': the sandbox has fs and path, and import for the session's own files"), { code: "MODULE_NOT_FOUND" });
  };
  globalThis.process = {
    argv: ["node", "/main.js"], env: {}, platform: "sandbox", cwd: () => "/",
    exit: (code = 0) => { host.exit(Number(code) || 0); throw new Error("process.exit"); },
    stdout: { write: (text) => { host.print("stdout", String(text)); return true; } },
    stderr: { write: (text) => { host.print("stderr", String(text)); return true; } },
  };

  let nextTimer = 1;
  const timers = new Map();
  const start = (repeat) => (run, delay = 0, ...args) => {
    const id = nextTimer++;
    timers.set(id, { run, args, delay: Math.max(0, Number(delay) || 0), repeat });
    host.startTimer(id, Math.max(0, Number(delay) || 0));
    return id;
  };
  const clear = (id) => { if (timers.delete(id)) host.clearTimer(id); };
  globalThis.setTimeout = start(false);
  globalThis.setInterval = start(true);
  globalThis.clearTimeout = clear;
  globalThis.clearInterval = clear;
  globalThis.queueMicrotask ??= (run) => { Promise.resolve().then(run); };
  globalThis.__fire = (id) => {
    const timer = timers.get(id);
    if (!timer) return;
    if (timer.repeat) host.startTimer(id, Math.max(1, timer.delay));
    else timers.delete(id);
    timer.run(...timer.args);
  };
  globalThis.TextEncoder = class { encode(text = "") { return new Uint8Array(call("encode", String(text))); } };
  globalThis.TextDecoder = class { decode(data = new Uint8Array(0)) { return call("decode", bytesOf(data)); } };
  globalThis.__show = (value) => show(value);
  globalThis.__toJson = (value) => {
    if (value === undefined || typeof value === "function") return undefined;
    return JSON.stringify(value, (_, item) => {
      if (typeof item === "bigint") return item + "n";
      if (item instanceof Map) return Object.fromEntries(item);
      if (item instanceof Set) return [...item];
      if (item instanceof Error) return item.name + ": " + item.message;
      return item;
    });
  };
})();
`;

/** Modules that `import` finds besides the session's own files. */
export const MODULE_SOURCES: Readonly<Record<string, string>> = {
  fs: moduleSource("fs", [
    "readFileSync",
    "writeFileSync",
    "appendFileSync",
    "existsSync",
    "statSync",
    "rmSync",
    "unlinkSync",
    "rmdirSync",
    "copyFileSync",
    "renameSync",
    "mkdirSync",
    "readdirSync",
    "promises",
  ]),
  "fs/promises": moduleSource("fs/promises", [
    "readFile",
    "writeFile",
    "appendFile",
    "stat",
    "rm",
    "unlink",
    "copyFile",
    "rename",
    "mkdir",
    "readdir",
  ]),
  path: moduleSource("path", ["join", "resolve", "basename", "dirname", "extname", "sep"]),
};

function moduleSource(name: string, names: string[]): string {
  return `const whole = globalThis.__modules[${JSON.stringify(name)}];
export default whole;
export const { ${names.join(", ")} } = whole;`;
}
