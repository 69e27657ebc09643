/** A line between messages. A failure gives the reason in one line and offers remedies: retry, another model, settings. */
import RotateCcw from "lucide-react/icons/rotate-ccw";
import type { NoticeEntry } from "../../conversation/entries.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/cx.ts";
import { useRoom } from "./room-context.ts";

const TONES: Record<NoticeEntry["tone"], string> = {
  plain: "text-ink-faint",
  warn: "rounded-lg bg-warn-soft px-3 py-2 text-warn",
  bad: "rounded-lg bg-bad-soft px-3 py-2 text-bad",
};

export function NoticeView({ entry }: { entry: NoticeEntry }) {
  const { tone, text, nextStep, runId } = entry;
  if (tone !== "bad")
    return <p className={cx("text-sm", TONES[tone])}>{[text, nextStep].filter(Boolean).join(" ")}</p>;
  return (
    <div role="alert" className={cx("flex flex-wrap items-center gap-2 text-sm", TONES.bad)}>
      <p className="min-w-48 flex-1" title={nextStep}>
        {text}
      </p>
      <Remedies code={entry.code ?? ""} runId={runId} />
    </div>
  );
}

/** Remedies per failure, by the start of its code. A retry is always offered. */
const CHANGE_MODEL = /^(provider_|model_|answer_)/;
const OPEN_SETTINGS = /^provider_(key|unknown)/;
const EDIT_AGENT = /^(run_.*_limit|agent_|tool_conflict|capability_)/;

function Remedies({ code, runId }: { code: string; runId: string | undefined }) {
  const { retry, chooseModel, agentId } = useRoom();
  return (
    <span className="flex flex-wrap gap-1.5">
      {runId !== undefined && (
        <Button size="sm" onClick={() => retry(runId)}>
          <RotateCcw className="size-3.5" aria-hidden />
          Retry
        </Button>
      )}
      {CHANGE_MODEL.test(code) && (
        <Button size="sm" onClick={chooseModel}>
          Change model
        </Button>
      )}
      {OPEN_SETTINGS.test(code) && (
        <LinkButton size="sm" href="/settings/models">
          Open settings
        </LinkButton>
      )}
      {EDIT_AGENT.test(code) && agentId !== undefined && (
        <LinkButton size="sm" href={`/agents/${agentId}`}>
          Edit agent
        </LinkButton>
      )}
    </span>
  );
}
