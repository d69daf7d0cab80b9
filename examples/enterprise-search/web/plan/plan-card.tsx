import { clipped, counted, durationOf } from "../base/words.ts";
import { planOf, type ShownPlan } from "../runs/plan.ts";
import { type Run, runOf } from "../runs/run.ts";
import { useSearching } from "../state/searching.ts";
import { PlanList } from "./plan-list.tsx";

interface PlanCardProps {
  /** The message that the run writes; absent until there is one. */
  messageId: string | undefined;
  live: boolean;
  /** Whether nothing else shows that the agent works while it plans. */
  tells: boolean;
}

/** The plan of an answer. Nothing for an answer without tasks. */
export function PlanCard({ messageId, live, tells }: PlanCardProps) {
  const { runs } = useSearching();
  const run = runOf(runs, messageId);
  if (run === undefined) return null;
  const plan = planOf(run);
  if (plan === undefined) return tells && live ? <Planning run={run} /> : null;
  return (
    <section className="es-plan" aria-label="Plan" data-testid="es-plan">
      <header className="es-plan-head">
        <h3>Plan</h3>
        <p role={live ? "status" : undefined}>{stateOf(run, plan, live)}</p>
      </header>
      <PlanList plan={plan} />
      <Reviews run={run} />
      {plan.rewritten !== "" && (
        <p className="es-plan-note" data-testid="es-rewritten">
          <strong>Suggested wording (not used):</strong> “{clipped(plan.rewritten, 300)}”
        </p>
      )}
    </section>
  );
}

/** While there is no plan, what happens. */
function Planning({ run: { record, waits } }: { run: Run }) {
  const isPlanned = record.plan !== undefined && record.plan.status !== "needs_clarification";
  if (waits || isPlanned || record.calls.length > 0) return null;
  const failed = record.failures.some(({ part }) => part === "plan");
  return (
    <p className="es-planning" data-testid="es-planning">
      {failed ? "Working without a plan" : "Planning"}
    </p>
  );
}

/** The last note of the reviewer; the panel has all of them. */
function Reviews({ run }: { run: Run }) {
  const noted = run.record.reviews.filter(({ notes }) => typeof notes === "string" && notes.trim() !== "");
  const last = noted.at(-1);
  if (last === undefined) return null;
  return (
    <p className="es-plan-note" data-testid="es-review">
      <strong>Review:</strong> {clipped(last.notes, 400)}
      {noted.length > 1 && <span className="es-soft"> (+{noted.length - 1} before)</span>}
    </p>
  );
}

function stateOf(run: Run, { tasks }: ShownPlan, live: boolean): string {
  const done = tasks.filter(({ state }) => state === "done").length;
  const total = counted(tasks.length, "step", "steps");
  if (run.endedAt !== undefined) {
    const ms = Date.parse(run.endedAt) - Date.parse(run.startedAt);
    const took = Number.isFinite(ms) && !wasAsked(run) ? ` · ${durationOf(Math.max(0, ms))}` : "";
    return `${done === tasks.length ? total : `${done} of ${total}`}${took}`;
  }
  if (run.waits) return "Waiting for you";
  return live ? `${done} of ${total}` : total;
}

/** Whether the user was asked, so that the time of the run is not the time of the work. */
function wasAsked({ record }: Run): boolean {
  return record.clarifications.some(({ call_id }) => call_id !== undefined);
}
