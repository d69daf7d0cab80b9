import type { EventStore } from "@pawl/core";
import { pause } from "./pause.ts";

/** When to interfere: when a leg reads its session's row, or directly before or after its suspension. */
export type Moment = "row" | "before suspension" | "behind suspension";

/** A store that runs other work at chosen moments. */
export interface InterferingStore extends EventStore {
  /**
   * Runs `act` once, at the next such moment, and waits for it for at most 15 ms, because `act` may itself
   * wait for the leg.
   */
  arm(moment: Moment, act: () => Promise<void>): void;
  /** Returns the append id that the leg with the latest append will use next. */
  nextAppendId(): string | undefined;
}

export function interferingStore(inner: EventStore): InterferingStore {
  let armed: { moment: Moment; act: () => Promise<void> } | undefined;
  let lastAppendId: string | undefined;
  const reach = async (moment: Moment) => {
    if (armed?.moment !== moment) return;
    const { act } = armed;
    armed = undefined;
    await Promise.race([act(), pause(15, "what it does may itself wait for the leg")]);
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
