import type { EventType, NewEvent } from "./event.ts";
import type { EventData } from "./event-data.ts";

/** What to make of an event, by its type. */
export type ByType<R, More = undefined> = {
  readonly [T in EventType]?: (data: EventData[T], more: More) => R;
};

/** Makes of an event what the table says; `undefined` for a type that it does not have. */
export function madeOf<R, More>(table: ByType<R, More>, event: NewEvent, more: More): R | undefined {
  const { type, data } = event;
  return Object.hasOwn(table, type) ? table[type as EventType]?.(data as never, more) : undefined;
}
