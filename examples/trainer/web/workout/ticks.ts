import { useCallback, useEffect, useMemo, useState } from "react";
import type { Exercise } from "../../src/workout/exercise.ts";
import { setsOf } from "./dose.ts";

/** The sets that are ticked off, counted from 0, by exercise id. */
type Ticked = Readonly<Record<string, readonly number[]>>;

export interface Ticks {
  /** Returns the ticked sets of an exercise. Sets that the exercise no longer has are left out. */
  doneOf(exercise: Exercise): readonly number[];
  toggle(exercise: Exercise, set: number): void;
}

const KEY = "pawl.trainer.ticks";
/** How many sessions keep their ticks. */
const KEPT = 20;

/**
 * Keeps the sets that the user ticked off in a session. They are stored in this browser, shared by its tabs,
 * and sent to the server with the next message.
 */
export function useTicks(sessionId: string | undefined): Ticks {
  const [state, setState] = useState(() => ({ sessionId, ticked: read(sessionId) }));
  const ticked = state.sessionId === sessionId ? state.ticked : read(sessionId);
  const toggle = useCallback(
    ({ id }: Exercise, set: number) => {
      const before = read(sessionId);
      const done = ownOf(before, id) ?? [];
      const next = done.includes(set)
        ? done.filter((other) => other !== set)
        : [...done, set].sort((a, b) => a - b);
      const after = { ...before, [id]: next };
      write(sessionId, after);
      setState({ sessionId, ticked: after });
    },
    [sessionId],
  );
  useEffect(() => {
    const changedElsewhere = ({ key }: StorageEvent) => {
      if (key !== KEY) return;
      inMemory.clear();
      setState({ sessionId, ticked: read(sessionId) });
    };
    addEventListener("storage", changedElsewhere);
    return () => removeEventListener("storage", changedElsewhere);
  }, [sessionId]);
  return useMemo(
    () => ({
      doneOf: (exercise) => (ownOf(ticked, exercise.id) ?? []).filter((set) => set < setsOf(exercise)),
      toggle,
    }),
    [ticked, toggle],
  );
}

/** If the browser's storage is not available, ticks last as long as the page. */
const inMemory = new Map<string, Ticked>();

function read(sessionId = ""): Ticked {
  return inMemory.get(sessionId) ?? ownOf(stored(), sessionId) ?? {};
}

function write(sessionId = "", ticked: Ticked): void {
  inMemory.set(sessionId, ticked);
  const { [sessionId]: _, ...others } = stored();
  const kept = Object.entries(others).slice(1 - KEPT);
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...Object.fromEntries(kept), [sessionId]: ticked }));
  } catch {
    // The storage is full or forbidden.
  }
}

/** Reads the stored ticks by session, the latest last. Leaves out invalid entries. */
function stored(): Readonly<Record<string, Ticked>> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, Ticked>) : {};
  } catch {
    return {};
  }
}

function ownOf<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
