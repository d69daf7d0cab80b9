import type { EventStore } from "@pawl/core";

/**
 * The moment to interfere: when a leg reads its session's row, or directly before or after its suspension.
 */
export type Moment = "row" | "before suspension" | "behind suspension";

/** A log over which others act at chosen moments. */
export interface InterferingStore extends EventStore {
  /** Runs `act` once, at the next such moment. It gets 15 ms, because it may wait for the leg itself. */
  arm(moment: Moment, act: () => Promise<void>): void;
  /** The append id that the leg which appended last will take next. */
  nextAppendId(): string | undefined;
}

export function interferingStore(inner: EventStore): InterferingStore {
  let armed: { moment: Moment; act: () => Promise<void> } | undefined;
  let lastAppendId: string | undefined;
  const reach = async (moment: Moment) => {
    if (armed?.moment !== moment) return;
    const { act } = armed;
    armed = undefined;
    await Promise.race([act(), new Promise((resolve) => setTimeout(resolve, 15))]);
  };
  return {
    ...inner,
    arm: (moment, act) => {
      armed = { moment, act };
    },
    nextAppendId: () => {
      const [, leg, count] = /^(.+):(\d+)$/.exec(lastAppendId ?? "") ?? [];
      return leg === undefined ? undefined : `${leg}:${Number(count) + 1}`;
    },
    append: async (sessionId, events, options) => {
      if (options.lease !== undefined) lastAppendId = options.appendId;
      const suspends = events.some(({ type }) => type === "run_suspended");
      if (suspends) await reach("before suspension");
      const rows = await inner.append(sessionId, events, options);
      if (suspends) await reach("behind suspension");
      return rows;
    },
    sessions: {
      ...inner.sessions,
      get: async (id) => {
        const row = await inner.sessions.get(id);
        await reach("row");
        return row;
      },
    },
  };
}
