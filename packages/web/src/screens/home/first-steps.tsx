import ArrowRight from "lucide-react/icons/arrow-right";
import { useLocation } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { useModelChoices } from "../../models/use-model-choices.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { STARTER_NAME, starterAgent } from "./starter-agent.ts";

/** `answers`: the configured model, if it is not the demo. */
const stepsFor = (answers: string | undefined) =>
  [
    ["Build", "An agent is an ordered list of capabilities: prompts, tools and permissions."],
    answers === undefined
      ? ["Chat", "Works without a key: the demo model gives a tour and calls real tools."]
      : ["Chat", `${answers} answers and calls the tools. Any chat can use another model.`],
    answers === undefined
      ? ["Steer", "Approve what matters, see every step, switch to a real model any time."]
      : ["Steer", "Approve what matters, see every step, stop and resume any time."],
  ] as const;

/** For an empty install: one click makes an agent and opens its chat, the next sends a first message. */
export function FirstSteps() {
  const [, go] = useLocation();
  const choices = useModelChoices().data;
  // The subscription people already have is better than the demo; a model that was set up is better than both.
  const program = choices?.default.demo ? choices.found.coding_agents[0] : undefined;
  const answers = program?.label ?? (choices && !choices.default.demo ? choices.default.label : undefined);
  const start = useChange(() => api.agents.create(starterAgent(program)), ["agents"]);
  const begin = () => start.mutate(undefined, { onSuccess: ({ id }) => go(`/chat?agent=${id}`) });
  return (
    <section className="rounded-xl border border-line bg-surface p-5 md:p-7">
      <h2 className="text-lg font-semibold">A working agent in two clicks</h2>
      <ol className="mt-4 grid gap-4 md:grid-cols-3">
        {stepsFor(answers).map(([title, text], index) => (
          <li key={title} className="flex gap-3">
            <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-ink">
              {index + 1}
            </span>
            <span>
              <span className="block font-medium">{title}</span>
              <span className="text-ink-soft">{text}</span>
            </span>
          </li>
        ))}
      </ol>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button look="primary" busy={start.isPending} doing="Creating…" onClick={begin}>
          Create “{STARTER_NAME}” and chat
          <ArrowRight className="size-4" aria-hidden />
        </Button>
        <LinkButton href="/agents/new">Build your own</LinkButton>
      </div>
      {program && (
        <p className="mt-3 text-ink-soft">
          {program.label} is installed and logged in here, so it will answer. You can change that in the
          agent.
        </p>
      )}
      <div className="mt-3 empty:hidden">
        <ChangeFailure error={start.error} />
      </div>
    </section>
  );
}
