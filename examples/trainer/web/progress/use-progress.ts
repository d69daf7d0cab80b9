import { useCallback, useEffect, useState } from "react";

export interface Week {
  /** Its first day, `2026-10-05`. */
  week_start: string;
  workouts: number;
  sets: number;
  /** Repetitions times load, in kg. */
  volume_kg: number;
}

export interface MuscleShare {
  muscle: string;
  /** Of all sets, 0 to 1. */
  share: number;
  sets: number;
}

export interface Progress {
  weeks: readonly Week[];
  muscles: readonly MuscleShare[];
}

export interface ProgressState {
  /** What was read last; it stays while it is read again. */
  data: Progress | undefined;
  failed: boolean;
  reload(): void;
}

/** The user's training so far. Read again when `logged` grows: a workout has been written down. */
export function useProgress(logged: number): ProgressState {
  const [data, setData] = useState<Progress>();
  const [failed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  // Both say when to read, not what.
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
  if (!Array.isArray(weeks) || !Array.isArray(muscles)) throw new Error("This is no progress.");
  return { weeks, muscles };
}
