import type { ViewMessage } from "@pawl/core/view";
import { AsTable } from "@pawl/example-page-parts";
import { lazy, Suspense } from "react";
import { useStory } from "../workout/use-story.ts";
import { type Progress, useProgress } from "./use-progress.ts";
import { dayOf, thousands } from "./words.ts";

// Loads the charts only when the panel is opened.
const Charts = {
  Volume: lazy(async () => ({ default: (await import("./charts.tsx")).VolumeChart })),
  Workouts: lazy(async () => ({ default: (await import("./charts.tsx")).WorkoutsChart })),
  Muscles: lazy(async () => ({ default: (await import("./charts.tsx")).MusclesChart })),
};

/** Shows the user's progress. It updates when a workout is logged. */
export function ProgressPanel({ messages }: { messages: readonly ViewMessage[] }) {
  const { data, failed, reload } = useProgress(useStory(messages).logged);
  if (data === undefined) {
    return failed ? <NotRead onRetry={reload} /> : <p className="progress-empty">Reading your training…</p>;
  }
  const isEmpty = data.weeks.every(({ workouts }) => workouts === 0);
  if (isEmpty)
    return <p className="progress-empty">No workouts logged yet. Your first one will show here.</p>;
  return (
    <div className="progress" data-testid="progress">
      {failed && <NotRead onRetry={reload} />}
      <Numbers progress={data} />
      <Suspense fallback={<div className="charts-coming" />}>
        <Volume {...data} />
        <Workouts {...data} />
        <Muscles {...data} />
      </Suspense>
    </div>
  );
}

function NotRead({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="progress-empty" role="alert">
      Your training can't be read right now.{" "}
      <button type="button" className="text-button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

/** The numbers of the current week, compared with the week before. */
function Numbers({ progress: { weeks } }: { progress: Progress }) {
  const [before, now] = [weeks.at(-2), weeks.at(-1)];
  if (now === undefined) return null;
  const last = (value: number | undefined, unit = "") =>
    value === undefined ? "" : `last week ${thousands(value)}${unit}`;
  return (
    <dl className="numbers" data-testid="this-week">
      <div>
        <dt>Workouts this week</dt>
        <dd>
          {now.workouts} <small>{last(before?.workouts)}</small>
        </dd>
      </div>
      <div>
        <dt>Volume this week</dt>
        <dd>
          {thousands(now.volume_kg)} kg <small>{last(before?.volume_kg, " kg")}</small>
        </dd>
      </div>
    </dl>
  );
}

function Volume({ weeks }: Progress) {
  return (
    <figure className="chart">
      <figcaption>
        Volume <small>kg a week</small>
      </figcaption>
      <Charts.Volume weeks={weeks} />
      <AsTable
        of="volume"
        columns={["Week of", "Volume", "Sets"]}
        rows={weeks.map(({ week_start: start, volume_kg: volume, sets }) => [
          dayOf(start),
          `${thousands(volume)} kg`,
          String(sets),
        ])}
      />
    </figure>
  );
}

function Workouts({ weeks }: Progress) {
  return (
    <figure className="chart">
      <figcaption>
        Workouts <small>a week</small>
      </figcaption>
      <Charts.Workouts weeks={weeks} />
      <AsTable
        of="workouts"
        columns={["Week of", "Workouts"]}
        rows={weeks.map(({ week_start: start, workouts }) => [dayOf(start), String(workouts)])}
      />
    </figure>
  );
}

function Muscles({ muscles }: Progress) {
  return (
    <figure className="chart">
      <figcaption>
        Muscles <small>share of all sets</small>
      </figcaption>
      <Charts.Muscles muscles={muscles} />
      <AsTable
        of="muscles"
        columns={["Muscle", "Share", "Sets"]}
        rows={muscles.map(({ muscle, share, sets }) => [
          muscle,
          `${Math.round(share * 100)} %`,
          thousands(sets),
        ])}
      />
    </figure>
  );
}
