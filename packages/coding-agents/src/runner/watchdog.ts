/**
 * Agents die with their parent, even when it is killed and can do nothing itself.
 *
 * One small shell per process waits on a pipe that only we hold. When the pipe closes, we are dead, and it ends every process
 * group still on its list, strays included, and deletes the runs' private folders.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { RUN_VARIABLE } from "./clean-environment.ts";

const SCRIPT = `
list=""
while read -r word pid run; do
  case "$word" in
    watch) list="$list $pid:$run" ;;
    forget)
      kept=""
      for entry in $list; do [ "$entry" = "$pid:$run" ] || kept="$kept $entry"; done
      list="$kept" ;;
  esac
done
for entry in $list; do kill -TERM -- "-\${entry%%:*}"; done
[ -z "$list" ] || sleep 1
for entry in $list; do
  run="\${entry##*:}"
  kill -KILL -- "-\${entry%%:*}"
  for file in /proc/[0-9]*/environ; do
    if grep -aqs "${RUN_VARIABLE}=$run" "$file"; then
      pid="\${file#/proc/}"
      kill -KILL "\${pid%%/*}"
    fi
  done
  rm -rf "$1/capstan-run-$run"
done
`;

let shell: ChildProcess | undefined;

/** From now on the group of `pid` ends with this process. */
export function watch(pid: number, runId: string): void {
  if (process.platform === "win32") return;
  shell ??= startShell();
  shell.stdin?.write(`watch ${pid} ${runId}\n`);
}

/** The run is over, and its process id may be reused. */
export function forget(pid: number, runId: string): void {
  shell?.stdin?.write(`forget ${pid} ${runId}\n`);
}

function startShell(): ChildProcess {
  const started = spawn("/bin/sh", ["-c", SCRIPT, "capstan-watchdog", tmpdir()], {
    detached: true, // a signal to our own group must not end it
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  const lost = () => {
    if (shell === started) shell = undefined;
  };
  started.on("error", lost).on("exit", lost);
  started.stdin?.on("error", lost);
  started.unref();
  // An idle pipe must not keep the program alive.
  const { stdin } = started;
  if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return started;
}
