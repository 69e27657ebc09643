import type { RouteAnswer } from "@capstan/client";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { FailureNote, NotHere } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { api, failureOf, isMissingPart } from "../../server/api.ts";
import { useCancellableChange } from "../../server/queries.ts";
import { Ranking } from "./ranking.tsx";
import { TaskResult } from "./task-result.tsx";
import { Telemetry } from "./telemetry.tsx";

const TABS = [
  { name: "task", label: "Task" },
  { name: "telemetry", label: "Telemetry" },
] as const;

export default function RouteScreen() {
  const [view, go] = useTab("/route", TABS);
  return (
    <Screen title="Route" lead="Find the capability that fits a task. Preview, then run.">
      <Tabs label="Routing" tabs={TABS} current={view} onChange={go}>
        {view === "task" ? <TaskView /> : <Telemetry />}
      </Tabs>
    </Screen>
  );
}

const TOP = 8;

function TaskView() {
  const [, go] = useLocation();
  const named = new URLSearchParams(useSearch()).get("task") ?? "";
  const [task, setTask] = useState(named);
  const { change: explain, cancel: cancelExplain } = useCancellableChange((text: string, signal) =>
    api.route.explain({ task: text, top_k: TOP }, signal),
  );
  const { change: run, cancel: cancelRun } = useCancellableChange(
    (request: { task: string; dryRun: boolean; confirm?: string }, signal) =>
      api.route.execute(request, signal),
    ["telemetry"],
  );
  const text = task.trim();
  const error = explain.error ?? run.error;
  const running = run.isPending ? (run.variables.dryRun ? "planning" : "running") : undefined;
  const doing = explain.isPending ? "finding" : running;
  /** The task is in the address, so that it can be sent to others and found again. */
  const name = () => go(`/route?task=${encodeURIComponent(text)}`, { replace: true });
  const rank = () => {
    name();
    run.reset();
    explain.mutate(text);
  };
  const execute = (dryRun: boolean) => {
    name();
    run.mutate({ task: text, dryRun });
  };
  useNamedTask(named, explain.mutate);
  return (
    <div className="flex flex-col gap-5">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== "") rank();
        }}
      >
        <Field
          label="Task"
          hint="For example: create a business plan for a bookkeeping startup. Enter finds a match, Shift+Enter adds a line."
        >
          {(control) => (
            <TextArea
              {...control}
              rows={2}
              value={task}
              onChange={({ target }) => setTask(target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }}
            />
          )}
        </Field>
        <TaskButtons
          ready={text !== ""}
          doing={doing}
          onExecute={execute}
          onCancel={() => {
            cancelExplain();
            cancelRun();
          }}
        />
      </form>
      {error && <RouteFailure error={error} />}
      <div role="status" className="flex flex-col gap-5 empty:hidden">
        {run.data && (
          <Result
            answer={run.data}
            onConfirm={(confirm) => run.mutate({ task: run.variables.task, dryRun: false, confirm })}
          />
        )}
        {explain.data && <Explained answer={explain.data} />}
      </div>
    </div>
  );
}

type Doing = "finding" | "planning" | "running" | undefined;

interface TaskButtonsProps {
  ready: boolean;
  doing: Doing;
  onExecute: (dryRun: boolean) => void;
  onCancel: () => void;
}

function TaskButtons({ ready, doing, onExecute, onCancel }: TaskButtonsProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <Button type="submit" look="primary" disabled={!ready} busy={doing === "finding"} doing="Finding…">
        Find match
      </Button>
      <Button disabled={!ready} busy={doing === "planning"} doing="Planning…" onClick={() => onExecute(true)}>
        Preview
      </Button>
      <Button disabled={!ready} busy={doing === "running"} doing="Running…" onClick={() => onExecute(false)}>
        Run
      </Button>
      {doing !== undefined && (
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </div>
  );
}

/** A task that came with the address is matched at once; nothing is run for it. */
function useNamedTask(task: string, match: (task: string) => void): void {
  const first = useRef(task);
  useEffect(() => {
    if (first.current !== "") match(first.current);
    first.current = "";
  }, [match]);
}

function RouteFailure({ error }: { error: Error }) {
  const failure = failureOf(error);
  return isMissingPart(failure) ? <NotHere what="Task routes" /> : <FailureNote failure={failure} />;
}

const Result = (props: ComponentProps<typeof TaskResult>) => (
  <Panel title={props.answer.execution.dryRun ? "Preview: nothing was called" : "Result"}>
    <TaskResult {...props} />
  </Panel>
);

const Explained = ({ answer }: { answer: RouteAnswer }) => (
  <Panel title={`Intent: ${answer.intent.label}`}>
    <Ranking answer={answer} />
  </Panel>
);
