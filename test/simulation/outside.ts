import type { EventStore } from "@pawl/core";
import type { Witness } from "./witness.ts";

/** What the tools do to the world outside of the fleet. */
export interface Outside {
  /** How often the work of each part of a call was done, by `callId/part`. */
  readonly done: ReadonlyMap<string, number>;
  readonly total: number;
  /** Notes that a tool does its work. */
  act(effect: Effect): Promise<void>;
}

interface Effect {
  sessionId: string;
  callId: string;
  /** The part of the call, for one that asks or waits in between. */
  part: number;
  idempotencyKey: string;
  isIdempotent: boolean;
}

/** Makes a world that notes what must not happen there. */
export function newOutside(store: EventStore, witness: Witness): Outside {
  const done = new Map<string, number>();
  const keys = new Map<string, string>();
  let total = 0;
  return {
    done,
    get total() {
      return total;
    },
    act: async ({ sessionId, callId, part, idempotencyKey, isIdempotent }) => {
      const name = `${callId}/${part}`;
      const times = (done.get(name) ?? 0) + 1;
      done.set(name, times);
      total += 1;
      witness.note(`${sessionId} effect ${name}, time ${times}`);
      if (times > 1 && !isIdempotent)
        witness.fault(`${sessionId}: a double effect, ${name} was done ${times} times`);
      const key = keys.get(callId) ?? idempotencyKey;
      keys.set(callId, key);
      if (key !== idempotencyKey) witness.fault(`${sessionId}: ${name} has two idempotency keys`);
      const begun = await Array.fromAsync(store.read(sessionId, { types: ["tool_started"] }));
      const starts = begun.filter(({ data }) => (data as { call_id?: string }).call_id === callId).length;
      if (starts === 0) witness.fault(`${sessionId}: ${name} was done before it was logged`);
      // A call that waits or asks is started again for its next part.
      if (times > starts) witness.fault(`${sessionId}: ${name} was done more often than it was started`);
    },
  };
}
