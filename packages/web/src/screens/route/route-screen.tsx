import type { RouteAnswer, TaskAnswer } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { FailureNote, NotHere } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { api, failureOf, isMissingPart } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
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
  const [task, setTask] = useState("");
  const explain = useChange((text: string) => api.route.explain({ task: text, top_k: TOP }));
  const run = useChange(
    (request: { task: string; dryRun: boolean }) => api.route.execute(request),
    ["telemetry"],
  );
  const text = task.trim();
  const error = explain.error ?? run.error;
  const rank = () => {
    run.reset();
    explain.mutate(text);
  };
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
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={text === ""} busy={explain.isPending}>
            Find match
          </Button>
          <Button
            disabled={text === ""}
            busy={run.isPending && run.variables.dryRun}
            onClick={() => run.mutate({ task: text, dryRun: true })}
          >
            Preview
          </Button>
          <Button
            disabled={text === ""}
            busy={run.isPending && !run.variables.dryRun}
            onClick={() => run.mutate({ task: text, dryRun: false })}
          >
            Run
          </Button>
        </div>
      </form>
      {error && <RouteFailure error={error} />}
      <div role="status" className="flex flex-col gap-5 empty:hidden">
        {run.data && <Result answer={run.data} />}
        {explain.data && <Explained answer={explain.data} />}
      </div>
    </div>
  );
}

function RouteFailure({ error }: { error: Error }) {
  const failure = failureOf(error);
  return isMissingPart(failure) ? <NotHere what="Task routes" /> : <FailureNote failure={failure} />;
}

const Result = ({ answer }: { answer: TaskAnswer }) => (
  <Panel title={answer.execution.dryRun ? "Preview: nothing was called" : "Result"}>
    <TaskResult answer={answer} />
  </Panel>
);

const Explained = ({ answer }: { answer: RouteAnswer }) => (
  <Panel title={`Intent: ${answer.intent.label}`}>
    <Ranking answer={answer} />
  </Panel>
);
