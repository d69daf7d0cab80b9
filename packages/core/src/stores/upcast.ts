import { EVENT_VERSION, type StoredEvent } from "../log/event.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { withEvents } from "./open-session.ts";
import { wrapStore } from "./wrap-store.ts";

/**
 * Functions that convert payloads of older versions, by event type and version. Each converts a payload of
 * that version to the next version. If a type's payload stays the same in the next version, no function is
 * needed.
 *
 * @example
 * ```ts
 * import { memoryStore, runtime, type Upcasters } from "@pawl/core";
 *
 * const upcasters: Upcasters = {
 *   user_message: { 0: ({ text }: { text: string }) => ({ message: text }) },
 * };
 * runtime({ agents: [], store: memoryStore(), upcasters });
 * ```
 */
export interface Upcasters {
  readonly [type: string]: { readonly [version: number]: (data: never) => unknown };
}

/** Pawl's own upcasters: none yet, because version 2 has only added fields. */
export const UPCASTERS: Upcasters = {};

/**
 * Converts an event's payload to the current version. Events of the current version and of newer ones are not
 * changed: a newer version only has further fields.
 */
function upcast(event: StoredEvent, upcasters: Upcasters): StoredEvent {
  if (event.v >= EVENT_VERSION) return event;
  const conversions = Object.hasOwn(upcasters, event.type) ? upcasters[event.type] : undefined;
  let data: unknown = event.data;
  for (let version = event.v; version < EVENT_VERSION; version += 1) {
    data = conversions?.[version]?.(data as never) ?? data;
  }
  return { ...event, v: EVENT_VERSION, data } as StoredEvent;
}

/** Wraps a store so that events of older versions are converted when they are read. */
export function upcastingStore(store: EventStore, upcasters: Upcasters): EventStore {
  if (Object.keys(upcasters).length === 0) return store;
  const wrapped = wrapStore(store);
  const { open } = wrapped;
  return {
    ...wrapped,
    // Snapshots are neither saved nor read: one may have been made before an upcaster was added.
    saveSnapshot: undefined,
    ...(open && {
      open: async ({ snapshot: _, ...session }) => {
        const opened = await open(session);
        if (opened === undefined) return undefined;
        return await withEvents(store, opened, async () =>
          opened.events.map((event) => upcast(event, upcasters)),
        );
      },
    }),
    read: async function* (sessionId, options) {
      for await (const event of store.read(sessionId, options)) yield upcast(event, upcasters);
    },
  };
}
