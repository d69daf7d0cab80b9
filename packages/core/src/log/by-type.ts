import type { EventType, NewEvent } from "./event.ts";
import type { EventData } from "./event-data.ts";

/** A table of functions by event type. Each gets the event's data. */
export type ByType<R, More = undefined> = {
  readonly [T in EventType]?: (data: EventData[T], more: More) => R;
};

/** Calls the table's function for the event's type. Returns `undefined` if the table has none. */
export function madeOf<R, More>(table: ByType<R, More>, event: NewEvent, more: More): R | undefined {
  const { type, data } = event;
  return Object.hasOwn(table, type) ? table[type as EventType]?.(data as never, more) : undefined;
}
