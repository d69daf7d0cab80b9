import { lasted, type Span, type TimelineRun } from "@pawl/core/inspect";

/** A place on a run's axis. Both values are shares of the axis, from 0 to 1. */
export interface Place {
  start: number;
  length: number;
}

/**
 * Returns a function that maps times of a run to places on its axis. Leaves out the time of waiting for the
 * user, which could be hours.
 */
export function axisOf(run: TimelineRun, now: number): (span: Span) => Place {
  const end = run.to ?? now;
  const worked = (at: number) => at - run.from - lasted(until(run.waits, at), at);
  const all = Math.max(1, worked(end));
  return ({ from, to = now }) => {
    const start = Math.min(1, Math.max(0, worked(from) / all));
    return { start, length: Math.min(1 - start, Math.max(0, worked(to) / all - start)) };
  };
}

function until(spans: readonly Span[], at: number): Span[] {
  return spans.filter(({ from }) => from < at).map(({ from, to = at }) => ({ from, to: Math.min(to, at) }));
}
