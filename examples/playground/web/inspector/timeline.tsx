import type { StoredEvent } from "@pawl/core";
import { lasted, type TimelineRun, timelineOf } from "@pawl/core/inspect";
import { useMemo } from "react";
import { axisOf } from "./axis.ts";
import { Totals } from "./totals.tsx";
import { TurnRow } from "./turn-row.tsx";
import { time } from "./words.ts";

interface TimelineProps {
  /** The log from its beginning. */
  events: readonly StoredEvent[];
  onGoTo: (seq: number) => void;
}

/** Shows the log turn by turn, with times, tokens and costs. */
export function Timeline({ events, onGoTo }: TimelineProps) {
  const isWhole = events.every(({ seq }, at) => seq === at + 1);
  const runs = useMemo(() => (isWhole ? timelineOf(events) : []), [events, isWhole]);
  if (runs.length === 0) return <p className="log-empty">{isWhole ? "No runs yet." : "Loading…"}</p>;
  // The end of open attempts and calls: the time of the last event.
  const now = Date.parse(events.at(-1)?.at ?? "");
  return (
    <div className="timeline" data-testid="timeline">
      <Totals runs={runs} now={now} />
      <ol className="timeline-runs">
        {runs.map((run, at) => (
          <Run key={run.runId} {...{ run, now, onGoTo }} number={at + 1} />
        ))}
      </ol>
    </div>
  );
}

interface RunProps {
  run: TimelineRun;
  number: number;
  now: number;
  onGoTo: (seq: number) => void;
}

function Run({ run, number, now, onGoTo }: RunProps) {
  const place = axisOf(run, now);
  const waited = lasted(run.waits, now);
  return (
    <li>
      <h3 className="timeline-run">
        Run {number}
        <span className="timeline-run-facts">
          {run.stop === undefined ? "open" : run.stop.type} · {time(run.workMs)}
          {waited > 0 && ` + ${time(waited)} waiting for you`}
        </span>
      </h3>
      <ol>
        {run.turns.map((turn) => (
          <TurnRow key={turn.turn} {...{ turn, place, now, onGoTo }} />
        ))}
      </ol>
    </li>
  );
}
