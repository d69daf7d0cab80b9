import { type EventStore, memoryStore, type StoredEvent } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";
import type { StoreUnderTest } from "@pawl/testing";

/** Makes some methods of a store wrong. `now` is the store's clock as an ISO time. */
type Mistake = (store: EventStore, now: () => string) => Partial<EventStore>;

/** A store in memory, under a clock that the cases move, with this mistake in it. */
export function underTest(mistake: Mistake = () => ({})): StoreUnderTest {
  let ms = Date.UTC(2026, 0, 1);
  const store = memoryStore({ now: () => ms });
  return {
    store: { ...store, ...mistake(store, () => new Date(ms).toISOString()) },
    advance: (by) => {
      ms += by;
    },
  };
}

type Sessions = EventStore["sessions"];

/** The store's sessions, with some methods made wrong. */
function sessions(store: EventStore, wrong: Partial<Sessions>): { sessions: Sessions } {
  return { sessions: { ...store.sessions, ...wrong } };
}

/** What a driver does that writes UTF-8: half a surrogate pair becomes U+FFFD. */
const utf8 = (text: string) => text.toWellFormed();

const halfNames = "E3 half a surrogate pair reaches no session and no lease that has U+FFFD in its place";
const halfFilters =
  "E3 half a surrogate pair finds no type of event and no agent that has U+FFFD in its place";
const clockSetBack = "E2 `at` and `updatedAt` never go back, also where the store's clock is set back";
const openRuns = "E2 an open run is recoverable in every status but suspended, also after an error";
const pagesById =
  "E2 pages by id have each recoverable session once, also those that are updated between two pages";
const ownTimes = "E3 a lease that is acquired, renewed or released does not change the session's row";

/** Stores with one mistake each: what is wrong, the one case that notices it, and the mistake. */
export const wrongStores: readonly (readonly [string, string, Mistake])[] = [
  [
    "gives leases to a holder without a name",
    "E2 refuses holders whose names no store could keep",
    (store) => ({ acquire: (id, holder, ttlMs) => store.acquire(id, holder || "nobody", ttlMs) }),
  ],
  [
    "gets a session by half a surrogate pair",
    halfNames,
    (store) => sessions(store, { get: (id) => store.sessions.get(utf8(id)) }),
  ],
  [
    "lists sessions by half a surrogate pair",
    halfNames,
    (store) =>
      sessions(store, {
        list: (options) => store.sessions.list({ ...options, userId: utf8(options.userId) }),
      }),
  ],
  [
    "reads by half a surrogate pair",
    halfNames,
    (store) => ({ read: (id, options) => store.read(utf8(id), options) }),
  ],
  [
    "appends by half a surrogate pair",
    halfNames,
    (store) => ({ append: (id, events, options) => store.append(utf8(id), events, options) }),
  ],
  [
    "gives a lease by half a surrogate pair",
    halfNames,
    (store) => ({ acquire: (id, holder, ttlMs) => store.acquire(utf8(id), holder, ttlMs) }),
  ],
  [
    "renews a lease by half a surrogate pair",
    halfNames,
    (store) => ({
      renew: (lease, ttlMs) => store.renew({ ...lease, sessionId: utf8(lease.sessionId) }, ttlMs),
    }),
  ],
  [
    "takes a lease back by half a surrogate pair",
    halfNames,
    (store) => ({ release: (lease) => store.release({ ...lease, sessionId: utf8(lease.sessionId) }) }),
  ],
  [
    "appends and renews by half a surrogate pair in the holder of a lease",
    halfNames,
    (store) => ({
      append: (id, events, { lease, ...options }) =>
        store.append(
          id,
          events,
          lease ? { ...options, lease: { ...lease, holder: utf8(lease.holder) } } : options,
        ),
      renew: (lease, ttlMs) => store.renew({ ...lease, holder: utf8(lease.holder) }, ttlMs),
    }),
  ],
  [
    "reads the events of a type by half a surrogate pair",
    halfFilters,
    (store) => ({
      read: (id, { types, ...options } = {}) =>
        store.read(id, types ? { ...options, types: types.map((type) => utf8(type) as "a.b") } : options),
    }),
  ],
  [
    "lists an agent's sessions by half a surrogate pair",
    halfFilters,
    (store) =>
      sessions(store, {
        list: ({ agent, ...options }) =>
          store.sessions.list(agent === undefined ? options : { ...options, agent: utf8(agent) }),
      }),
  ],
  [
    "finds an agent's open runs by half a surrogate pair",
    halfFilters,
    (store) => ({
      listRecoverable: ({ agents, ...options }) =>
        store.listRecoverable(agents ? { ...options, agents: agents.map(utf8) } : options),
    }),
  ],
  [
    "ignores `after`",
    pagesById,
    (store) => ({ listRecoverable: ({ after: _, ...options }) => store.listRecoverable(options) }),
  ],
  [
    "lists the session of `after` again",
    pagesById,
    (store) => ({
      listRecoverable: async ({ limit, after, ...options }) => {
        const row = after === undefined ? undefined : await store.sessions.get(after);
        const more = { ...options, ...(after !== undefined && { after }) };
        const listed = await store.listRecoverable({ limit, ...more });
        return row?.openRun ? [row, ...listed].slice(0, limit) : listed;
      },
    }),
  ],
  ["lets `at` go back with its clock", clockSetBack, atOfTheClock],
  [
    "lets `updatedAt` go back with its clock",
    clockSetBack,
    (store, now) =>
      touching(store, now, (touch) => {
        const last = new Map<string, number>();
        return {
          append: async (id, events, options) => {
            const rows = await store.append(id, events, options);
            const seq = rows.at(-1)?.seq ?? 0;
            if (seq > (last.get(id) ?? 0)) touch(id);
            last.set(id, Math.max(seq, last.get(id) ?? 0));
            return rows;
          },
        };
      }),
  ],
  ["adds money up in floating point", "O1 sums of money are exact: 0.1 and 0.2 US dollars are 0.3", floats],
  ...(["error", "completed"] as const).map((left): [string, string, Mistake] => [
    `leaves an open run alone whose status is ${left}`,
    openRuns,
    (store) => ({
      listRecoverable: async (options) =>
        (await store.listRecoverable(options)).filter(({ status }) => status !== left),
    }),
  ]),
  [
    "moves `updatedAt` when a lease is acquired",
    ownTimes,
    (store, now) =>
      touching(store, now, (touch) => ({
        acquire: async (id, holder, ttlMs) => {
          const lease = await store.acquire(id, holder, ttlMs);
          touch(id);
          return lease;
        },
      })),
  ],
  [
    "answers a repeated append id before it looks at the batch",
    "E2 a repeated append id does not save a batch that could never be stored",
    (store) => {
      const stored = new Map<string, readonly StoredEvent[]>();
      return {
        append: async (id, events, options) => {
          const name = `${id} ${options.appendId}`;
          const rows = (events.length === 0 && stored.get(name)) || (await store.append(id, events, options));
          stored.set(name, rows);
          return rows;
        },
      };
    },
  ],
  ...(["report", "tag"] as const).map((field): [string, string, Mistake] => [
    `keeps an event without its field ${field}`,
    "E1 stores every type of event, and types of extensions",
    (store) => ({
      append: (id, events, options) =>
        store.append(
          id,
          events.map((event) => without(event, field)),
          options,
        ),
    }),
  ]),
  [
    "takes a lease back only from an append that names it",
    "E2 an append that releases without naming a lease ends the session's lease, also another holder's",
    (store) => ({
      append: (id, events, options) =>
        store.append(id, events, { ...options, release: options.lease !== undefined && !!options.release }),
    }),
  ],
];

/** The event without one field of its payload. */
function without(event: NewEvent, field: string): NewEvent {
  if (!Object.hasOwn(Object(event.data), field)) return event;
  const { [field]: _, ...data } = event.data as { [field: string]: unknown };
  return { ...event, data } as NewEvent;
}

function atOfTheClock(store: EventStore, now: () => string): Partial<EventStore> {
  const times = new Map<string, string>();
  const place = ({ sessionId, seq }: StoredEvent) => `${seq} ${sessionId}`;
  const timed = (event: StoredEvent) => ({ ...event, at: times.get(place(event)) ?? event.at });
  return {
    append: async (id, events, options) => {
      const rows = await store.append(id, events, options);
      for (const row of rows) if (!times.has(place(row))) times.set(place(row), now());
      return rows.map(timed);
    },
    read: async function* (id, options) {
      for await (const event of store.read(id, options)) yield timed(event);
    },
  };
}

/** A store whose rows have the time of the last touch as their `updatedAt`. */
function touching(
  store: EventStore,
  now: () => string,
  wrong: (touch: (id: string) => void) => Partial<EventStore>,
): Partial<EventStore> {
  const touched = new Map<string, string>();
  return {
    ...sessions(store, {
      get: async (id) => {
        const row = await store.sessions.get(id);
        return row && { ...row, updatedAt: touched.get(id) ?? row.updatedAt };
      },
    }),
    ...wrong((id) => touched.set(id, now())),
  };
}

function floats(store: EventStore): Partial<EventStore> {
  const costs = new Map<string, Map<string, number>>();
  return {
    append: async (id, events, options) => {
      const rows = await store.append(id, events, options);
      const ofSession = costs.get(id) ?? new Map<string, number>();
      costs.set(id, ofSession.set(options.appendId, options.session?.addCostUsd ?? 0));
      return rows;
    },
    ...sessions(store, {
      get: async (id) => {
        const row = await store.sessions.get(id);
        const costUsd = [...(costs.get(id)?.values() ?? [])].reduce((sum, cost) => sum + cost, 0);
        return row && { ...row, costUsd };
      },
    }),
  };
}
