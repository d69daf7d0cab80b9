import { type BatchObservableCallback, diag, type Meter } from "@opentelemetry/api";
import type { Clock, EventStore } from "@pawl/core";
import { waitsSince } from "./held-leases.ts";

/** How many waiting runs are counted at most. */
const MOST = 1_000;

/** How long an export waits for the store, in milliseconds. Prometheus gives up after 10 seconds. */
const COUNT_MS = 5_000;

/** Upper bounds of the histogram of wakes, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What is counted in the store and in memory whenever metrics are exported. */
interface Observed {
  store: EventStore;
  strandedAfterMs: number;
  clock: Clock;
  active(): number;
}

/** Records what happens to runs. */
export interface RunInstruments {
  woken(seconds: number): void;
  takenOver(): void;
  handedOver(reason: string): void;
  ended(stop: string): void;
}

/** Creates the instruments of runs. */
export function instruments(meter: Meter, observed: Observed): RunInstruments {
  observe(meter, observed);
  const woken = meter.createHistogram("pawl.run.wake.duration", {
    unit: "s",
    description: "From the time at which a run could go on until this process stored something for it.",
    advice: { explicitBucketBoundaries: BOUNDS },
  });
  const takeovers = meter.createCounter("pawl.run.takeovers", {
    unit: "{run}",
    description: "Runs that this process continued after another one had died.",
  });
  const handovers = meter.createCounter("pawl.run.handovers", {
    unit: "{run}",
    description: "Runs that this process left to another one.",
  });
  const ended = meter.createCounter("pawl.run.ended", {
    unit: "{run}",
    description: "Runs that ended in this process.",
  });
  return {
    woken: (seconds) => woken.record(Math.max(0, seconds)),
    takenOver: () => takeovers.add(1),
    handedOver: (reason) => handovers.add(1, { "pawl.reason": reason }),
    ended: (stop) => ended.add(1, { "pawl.stop": stop }),
  };
}

function observe(meter: Meter, { store, strandedAfterMs, clock, active }: Observed): void {
  meter
    .createObservableUpDownCounter("pawl.run.active", {
      unit: "{run}",
      description: "Runs that this process works on.",
    })
    .addCallback((result) => result.observe(active()));
  const waiting = meter.createObservableGauge("pawl.run.waiting", {
    unit: "{run}",
    description: "Open runs of all sessions that wait for a process.",
  });
  const stranded = meter.createObservableGauge("pawl.run.stranded", {
    unit: "{run}",
    description: "Runs that have waited for a process for too long.",
  });
  let counting: ReturnType<EventStore["listRecoverable"]> | undefined;
  // Exports at the same time share one read. A store that hangs is not asked again by each.
  const recoverable = () => {
    counting ??= store.listRecoverable({ limit: MOST }).finally(() => {
      counting = undefined;
    });
    return counting;
  };
  const count: BatchObservableCallback = async (result) => {
    try {
      const rows = await within(clock, COUNT_MS, recoverable());
      const before = clock.now() - strandedAfterMs;
      result.observe(waiting, rows.length);
      result.observe(stranded, rows.filter((row) => (waitsSince(row) ?? before) < before).length);
    } catch (error) {
      // Without the store there is no number, rather than an old one.
      diag.error("@pawl/otel: the waiting runs could not be counted", error);
    }
  };
  meter.addBatchObservableCallback(count, [waiting, stranded]);
}

/** Waits for `work`, for at most `ms` milliseconds. */
async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error(`The store has not answered within ${ms} ms.`));
  const cancel = clock.after(ms, giveUp, { background: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
