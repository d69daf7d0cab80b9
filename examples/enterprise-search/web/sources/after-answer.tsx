import type { AroundProps } from "../base/seam.ts";
import { costOf, counted } from "../base/words.ts";
import { citedIn } from "../runs/citations.ts";
import { planOf } from "../runs/plan.ts";
import { type Run, runOf } from "../runs/run.ts";
import { useSearching } from "../state/searching.ts";
import { SourceList } from "./source-list.tsx";

/** What belongs to an answer, below it: its sources, why it is not whole, and a way to its details. */
export function AfterAnswer({ message, live }: AroundProps) {
  const { runs, shown, showRun } = useSearching();
  const run = runOf(runs, message?.id);
  const ids = citedIn(message?.text ?? "");
  // The list comes when the answer is complete, so that nothing moves while it is written.
  if (live || message === undefined) return null;
  return (
    <>
      {run !== undefined && <Ended run={run} />}
      {ids.length > 0 && <SourceList ids={ids} />}
      {run !== undefined && run.endedAt !== undefined && run.record.calls.length > 0 && (
        <p>
          <button
            type="button"
            className="es-more"
            aria-pressed={shown === run}
            data-testid="es-details"
            onClick={({ currentTarget }) => showRun(run, currentTarget)}
          >
            How this was found: {factsOf(run)}
          </button>
        </p>
      )}
    </>
  );
}

function factsOf({ record, models }: Run): string {
  const usd = [...record.calls, ...models].reduce((sum, { costUsd }) => sum + costUsd, 0);
  return `${counted(record.calls.length, "call", "calls")}, ${costOf(usd)}`;
}

const EARLY = "I stopped before the plan was done";

/** Stop types after which an answer is not whole, and what happened, in words. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ["blocked", "I cannot answer this"],
  ...[
    "turn_limit",
    "deadline",
    "tool_call_limit",
    "token_limit",
    "cost_limit",
    "quota_exceeded",
    "circuit_open",
  ].map((type) => [type, EARLY] as const),
]);

/** How a run that did not reach its end has ended, and which steps are left. */
function Ended({ run }: { run: Run }) {
  const { stop, stopped } = run.record;
  const title =
    stopped?.code === "clarification_failed" ? "I still need to know" : TITLES.get(stop?.type ?? "");
  if (title === undefined) return null;
  const open = planOf(run)?.tasks.filter(({ state }) => state === "left" || state === "blocked") ?? [];
  const question = stopped?.question?.text;
  return (
    <section className="es-ended" aria-label={title} data-testid="es-ended">
      <h3>{title}</h3>
      {typeof question === "string" && <p>{question}</p>}
      {open.length > 0 && (
        <>
          <p>These steps are not done:</p>
          <ul>
            {open.map(({ id, title: task, note }) => (
              <li key={id}>
                {task}
                {note !== "" && <span className="es-soft"> – {note}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
