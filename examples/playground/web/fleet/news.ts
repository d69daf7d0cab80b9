import type { FleetView, RunView, WorkerState } from "./fleet-view.ts";

/** What there is to say about a worker's new state. That it starts, its card says. */
const STATES: Readonly<Record<Exclude<WorkerState, "starting">, string>> = {
  ready: "is ready.",
  frozen: "is frozen.",
  stopping: "is finishing its steps, and then it stops.",
  stopped: "has stopped. It left its runs to the others.",
  killed: "was killed.",
  failed: "has ended by itself.",
};

/** Says what has happened between two looks at the fleet, in sentences. */
export function newsBetween(before: FleetView, after: FleetView): string[] {
  if (after.state !== "on") return before.state === "on" ? ["Everything is stopped."] : [];
  const states = new Map(before.workers.map(({ name, state }) => [name, state]));
  const changed = after.workers.flatMap(({ name, state }) =>
    states.get(name) === state || state === "starting"
      ? []
      : [`${name} ${lossOf(name, state, after) ?? STATES[state]}`],
  );
  return [
    ...changed,
    ...sentRuns(before, after),
    ...takenOver(before.runs, after.runs),
    ...ended(before, after),
  ];
}

/** Says which runs wait because of a worker that is dead or frozen. */
function lossOf(name: string, state: WorkerState, { runs }: FleetView): string | undefined {
  if (state !== "killed" && state !== "frozen") return undefined;
  const held = runs.filter(({ worker }) => worker === name).length;
  if (held === 0) return undefined;
  const what = held === 1 ? "Its run continues" : `Its ${held} runs continue`;
  return `${state === "killed" ? "was killed" : "is frozen"}. ${what} as soon as another worker has a place.`;
}

function sentRuns({ runs: before }: FleetView, { runs: after }: FleetView): string[] {
  const sent = after.length - before.length;
  return sent > 0 ? [`${counted(sent)} ${sent === 1 ? "was" : "were"} sent.`] : [];
}

function takenOver(before: readonly RunView[], after: readonly RunView[]): string[] {
  const counts = new Map<string, number>();
  for (const [index, { lostBy, worker, steps }] of after.entries()) {
    if (lostBy.length <= (before[index]?.lostBy.length ?? 0)) continue;
    const by = worker ?? steps.at(-1) ?? "A worker";
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} took over ${counted(count)}.`);
}

function ended(before: FleetView, after: FleetView): string[] {
  const open = ({ runs }: FleetView) =>
    runs.filter(({ state }) => state === "waiting" || state === "running").length;
  return open(before) > 0 && open(after) === 0 ? [`All ${counted(after.runs.length)} have ended.`] : [];
}

function counted(runs: number): string {
  return runs === 1 ? "1 run" : `${runs} runs`;
}
