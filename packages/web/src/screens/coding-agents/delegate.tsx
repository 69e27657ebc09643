import type { CodingAgentCommand } from "@capstan/client";
import type { CodingAgentEvent } from "@capstan/core/internal";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { Fragment, useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, Select, TextArea, TextField } from "../../kit/field.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { Markdown } from "../../markdown/markdown.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { foldRun, type RunPiece, type RunQuestion } from "./fold-run.ts";

/** Hands a prompt to a coding agent of the server's machine and shows what it does. */
export function Delegate() {
  const query = useRead(["coding-agents"], (signal) => api.codingAgents.list(signal));
  return (
    <Loaded query={query} what="Coding agents" rows={5}>
      {({ items }) => {
        const usable = items.filter(({ installed }) => installed);
        if (usable.length === 0)
          return (
            <>
              <Empty icon={SquareTerminal} title="No coding agents installed on this machine">
                Install one and log in to it, then load this page again.
              </Empty>
              <InstallSteps steps={items.map(({ display_name, next_step }) => [display_name, next_step])} />
            </>
          );
        return <RunForm agents={usable.map(({ name, display_name }) => [name, display_name])} />;
      }}
    </Loaded>
  );
}

function InstallSteps({ steps }: { steps: [name: string, step: string | null][] }) {
  return (
    <dl className="mx-auto grid max-w-3xl gap-x-4 gap-y-2 text-xs sm:grid-cols-[auto_1fr]">
      {steps.map(
        ([name, step]) =>
          step !== null && (
            <Fragment key={name}>
              <dt className="font-medium">{name}</dt>
              <dd className="min-w-0 text-ink-soft">{step}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}

function RunForm({ agents }: { agents: [name: string, label: string][] }) {
  const [agent, setAgent] = useState(agents[0]?.[0] ?? "");
  const [prompt, setPrompt] = useState("");
  const [model, setModel] = useState("");
  const [events, setEvents] = useState<CodingAgentEvent[]>([]);
  const [runId, setRunId] = useState("");
  const run = useChange(() => {
    setEvents([]);
    setRunId("");
    return api.codingAgents.run(
      agent,
      { prompt, ...(model.trim() !== "" && { model: model.trim() }) },
      { onStart: setRunId, onEvent: (event) => setEvents((before) => [...before, event]) },
    );
  });
  const steer = useChange((command: CodingAgentCommand) => api.codingAgents.command(agent, runId, command));
  return (
    <div className="flex flex-col gap-5">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate(undefined);
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Agent">
            {(control) => (
              <Select {...control} value={agent} onChange={({ target }) => setAgent(target.value)}>
                {agents.map(([name, label]) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <TextField
            label="Model"
            hint="Leave empty to use the agent's default."
            value={model}
            onChange={setModel}
          />
        </div>
        <Field label="Prompt">
          {(control) => (
            <TextArea
              {...control}
              rows={4}
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
            />
          )}
        </Field>
        <div className="flex gap-2">
          <Button
            type="submit"
            look="primary"
            busy={run.isPending}
            doing="Running…"
            disabled={prompt.trim() === ""}
          >
            Run
          </Button>
          {run.isPending && runId !== "" && (
            <Button onClick={() => steer.mutate({ type: "abort" })}>Stop</Button>
          )}
        </div>
      </form>
      <ChangeFailure error={run.error ?? steer.error} />
      {events.length > 0 && <Output pieces={foldRun(events)} onAnswer={steer.mutate} />}
    </div>
  );
}

type Answer = (command: CodingAgentCommand) => void;

function Output({ pieces, onAnswer }: { pieces: RunPiece[]; onAnswer: Answer }) {
  return (
    <Panel title="Output">
      <ol className="flex flex-col gap-3">
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added or extended
          <li key={index}>
            <Piece piece={piece} onAnswer={onAnswer} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Piece({ piece, onAnswer }: { piece: RunPiece; onAnswer: Answer }) {
  if (piece.kind === "text") return <Markdown text={piece.text} />;
  if (piece.kind === "thinking")
    return <p className="rounded-lg bg-thought-soft p-3 text-thought whitespace-pre-wrap">{piece.text}</p>;
  if (piece.kind === "tool")
    return (
      <p className="flex flex-wrap items-center gap-2">
        <Code>{piece.tool}</Code>
        <Badge tone={piece.state === "failed" ? "bad" : piece.state === "done" ? "good" : "accent"}>
          {piece.state}
        </Badge>
        {piece.ungated && <Badge tone="warn">ungated</Badge>}
      </p>
    );
  if (piece.kind === "question") return <Question piece={piece} onAnswer={onAnswer} />;
  return <p className={piece.bad ? "text-bad" : "text-ink-soft"}>{piece.text}</p>;
}

function Question({ piece: { id, tool, input }, onAnswer }: { piece: RunQuestion; onAnswer: Answer }) {
  const [answered, setAnswered] = useState(false);
  const answer = (type: "approve" | "deny") => {
    setAnswered(true);
    onAnswer({ type, id });
  };
  return (
    <section aria-label={`Approve ${tool}`} className="flex flex-col gap-2 rounded-lg bg-warn-soft p-3">
      <p className="text-warn">
        Allow <Code>{tool}</Code>?
      </p>
      <JsonView value={input} label={`Arguments of ${tool}`} />
      {!answered && (
        <div className="flex gap-2">
          <Button look="primary" onClick={() => answer("approve")}>
            Approve
          </Button>
          <Button look="danger" onClick={() => answer("deny")}>
            Deny
          </Button>
        </div>
      )}
    </section>
  );
}
