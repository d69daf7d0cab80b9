import type { FleetView } from "./fleet-view.ts";

/** Shows what the workers' metrics say. */
export function Numbers({ view }: { view: FleetView }) {
  const { metrics, limits } = view;
  const { active, waiting, stranded, takeovers, wakes, wakeSeconds } = metrics;
  const rows: [string, string, string][] = [
    ["active", "Running now", String(active)],
    ["waiting", "Waiting", String(waiting)],
    ["stranded", `Waiting over ${limits.strandedSeconds} s`, String(stranded)],
    ["takeovers", "Taken over", String(takeovers)],
    ["wake", "Average wait for a worker", wakes === 0 ? "–" : `${wakeSeconds.toFixed(1)} s`],
  ];
  return (
    <dl className="fleet-numbers">
      {rows.map(([id, name, value]) => (
        <div key={id} className={id === "stranded" && stranded > 0 ? "fleet-alarm" : ""}>
          <dt>{name}</dt>
          <dd data-testid={`fleet-${id}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
