import { applyEvent } from "../../fold/apply.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { HeldOutcome } from "../../loop/leg/session-log.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { countWork } from "../../session/work-time.ts";
import { toStored, withStoredData } from "../../stores/stored-form.ts";

/** Events that were held by one call. They are in the state, and the next append stores them. */
export interface HeldGroup {
  readonly events: readonly NewEvent[];
  /** The copies in the state. Their `at` is set once they are stored. */
  readonly applied: readonly StoredEvent[];
  /** Whether the events are dropped if they, or the groups before, cannot get their numbers in the log. */
  readonly isVoidable: boolean;
  /** Settled once the events are stored or dropped. */
  readonly outcome: HeldOutcome | undefined;
}

/** Returns the events of all groups. */
export function eventsOf(groups: readonly Pick<HeldGroup, "events">[]): readonly NewEvent[] {
  const [only] = groups;
  return only !== undefined && groups.length === 1 ? only.events : groups.flatMap(({ events }) => events);
}

/**
 * Applies events to the state before they are stored. Returns the copies that are in the state (`applied`),
 * and the events to store, which have the same payloads.
 */
export function showHeld(
  state: SessionState,
  events: readonly NewEvent[],
): Pick<HeldGroup, "events" | "applied"> {
  const { sessionId, lastSeq, lastAt } = state;
  // Converts all before the first one is applied: `toStored` throws for an event that cannot be stored.
  const stored = events.map((event, index) => toStored(event, sessionId, lastSeq + index + 1, lastAt));
  // Copied, because stored events are frozen and these get their time later.
  const applied = stored.map((event) => ({ ...event }));
  const { work } = openRun(state) ?? {};
  const workBefore = { ...work };
  for (const event of applied) applyEvent(state, event);
  // Resets the run's working time: `confirmHeld` counts these events once their time is known.
  const newWork = openRun(state)?.work;
  if (work !== undefined) Object.assign(work, workBefore);
  else if (newWork !== undefined) Object.assign(newWork, { ms: 0, since: undefined, last: lastAt });
  return {
    events: events.map((event, index) => withStoredData(event, stored[index] as StoredEvent)),
    applied,
  };
}

/**
 * Gives held events the time at which they were stored, and counts it as working time of the run. Calls
 * `onEvent` for each event.
 */
export function confirmHeld(
  state: SessionState,
  held: readonly HeldGroup[],
  rows: readonly StoredEvent[],
  onEvent: (event: StoredEvent) => void,
): void {
  const run = openRun(state);
  for (const [index, applied] of held.flatMap((group) => group.applied).entries()) {
    const row = rows[index] as StoredEvent;
    Object.assign(applied, row);
    state.lastAt = row.at;
    if (run !== undefined) countWork(run.work, row);
    onEvent(row);
  }
}
