import { pause } from "./pause.ts";
/** Counts how often work waits for a store, one round trip after another. */
export interface RoundTrips {
  /** The number of round trips so far. Calls that wait at the same time make one. */
  readonly count: number;
  /** The number of calls so far. */
  readonly calls: number;
  /** Wraps an object so that each call of its methods takes one round trip. */
  through<T extends object>(store: T): T;
  /** Runs work to its end, and answers its calls, all that wait at once. */
  during<T>(work: Promise<T>): Promise<T>;
}

/**
 * Makes a counter of round trips. A count holds on any machine and for any latency, where a measured time
 * depends on both.
 */
export function roundTrips(): RoundTrips {
  const waiting: (() => void)[] = [];
  const seen = { count: 0, calls: 0 };
  return {
    get count() {
      return seen.count;
    },
    get calls() {
      return seen.calls;
    },
    through: (store) =>
      new Proxy(store, {
        get(target, name, receiver) {
          const method: unknown = Reflect.get(target, name, receiver);
          if (typeof method !== "function") return method;
          return async (...given: unknown[]) => {
            seen.calls += 1;
            await new Promise<void>((resolve) => void waiting.push(resolve));
            return await Reflect.apply(method, target, given);
          };
        },
      }),
    during: async (work) => {
      const state = { over: false };
      const end = () => {
        state.over = true;
      };
      work.then(end, end);
      while (!state.over) {
        // Everything that can go on without an answer does so first.
        for (let n = 0; n < 5; n += 1) await pause(1, "timers without a delay fire, too");
        if (waiting.length === 0) continue;
        seen.count += 1;
        for (const answer of waiting.splice(0)) answer();
      }
      return await work;
    },
  };
}
