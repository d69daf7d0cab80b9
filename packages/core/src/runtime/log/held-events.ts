import { applyEvent } from "../../fold/apply.ts";
import type { NewEvent, StoredEvent } from "../../log/event.ts";
import type { HeldOutcome } from "../../loop/leg/session-log.ts";
import { openRun, type SessionState } from "../../session/state.ts";
import { countWork } from "../../session/work-time.ts";
import { toStored, withStoredData } from "../../stores/stored-form.ts";

/** Events that were held together. */
export interface HeldGroup {
  readonly events: readonly NewEvent[];
  /** The copies in the state. Their `at` is set once they are stored. */
  readonly applied: readonly StoredEvent[];
  /** Whether they are void if they, or earlier groups, get other numbers. */
  readonly isVoidable: boolean;
  readonly outcome: HeldOutcome | undefined;
}

/** Returns the events of all groups. */
export function eventsOf(groups: readonly Pick<HeldGroup, "events">[]): readonly NewEvent[] {
  const [only] = groups;
  return only !== undefined && groups.length === 1 ? only.events : groups.flatMap(({ events }) => events);
}

/**
 * Applies events to the state that are not stored yet. Returns what the state has of them, and the events
 * with the same payloads, for the store.
 */
export function showHeld(
  state: SessionState,
  events: readonly NewEvent[],
): Pick<HeldGroup, "events" | "applied"> {
  const { sessionId, lastSeq, lastAt } = state;
  // All are made before the first one is applied, because this throws for what cannot be stored.
  const stored = events.map((event, index) => toStored(event, sessionId, lastSeq + index + 1, lastAt));
  // Copied, because stored events are frozen and these get their time later.
  const applied = stored.map((event) => ({ ...event }));
  const { work } = openRun(state) ?? {};
  const before = { ...work };
  for (const event of applied) applyEvent(state, event);
  // Their time counts as work once it is known.
  const begun = openRun(state)?.work;
  if (work !== undefined) Object.assign(work, before);
  else if (begun !== undefined) Object.assign(begun, { ms: 0, since: undefined, last: lastAt });
  return {
    events: events.map((event, index) => withStoredData(event, stored[index] as StoredEvent)),
    applied,
  };
}

/** Gives held events the time at which they were stored, and calls `onEvent` for each of them. */
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
