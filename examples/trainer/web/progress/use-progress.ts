import { useCallback, useEffect, useState } from "react";

export interface Week {
  /** The first day of the week, e.g. `2026-10-05`. */
  week_start: string;
  workouts: number;
  sets: number;
  /** Repetitions times load, in kg. */
  volume_kg: number;
}

export interface MuscleShare {
  muscle: string;
  /** Share of all sets, from 0 to 1. */
  share: number;
  sets: number;
}

export interface Progress {
  weeks: readonly Week[];
  muscles: readonly MuscleShare[];
}

export interface ProgressState {
  /** The latest data. Kept while newer data is loading. */
  data: Progress | undefined;
  failed: boolean;
  reload(): void;
}

/** Loads the user's progress. Loads it again when `logged` grows, i.e. after a workout was logged. */
export function useProgress(logged: number): ProgressState {
  const [data, setData] = useState<Progress>();
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  // A change of `logged` or `round` triggers the request, which contains neither.
  useEffect(() => {
    const control = new AbortController();
    read(control.signal).then(
      (progress) => {
        setData(progress);
        setFailed(false);
      },
      () => {
        if (!control.signal.aborted) setFailed(true);
      },
    );
    return () => control.abort();
  }, [logged, round]);
  return { data, failed, reload: useCallback(() => setRound((n) => n + 1), []) };
}

async function read(signal: AbortSignal): Promise<Progress> {
  const response = await fetch("/api/trainer/progress", { signal });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const { weeks, muscles } = (await response.json()) as Progress;
  if (!Array.isArray(weeks) || !Array.isArray(muscles))
    throw new Error("The answer has no weeks or no muscles.");
  return { weeks, muscles };
}
