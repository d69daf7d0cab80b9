import { diag, type Meter, metrics } from "@opentelemetry/api";
import {
  type Clock,
  checkOptions,
  type EventStore,
  type OptionKinds,
  PawlError,
  type StoredEvent,
  systemClock,
} from "@pawl/core";
import type { AppendOptions, Lease } from "@pawl/core/store";
import { type HeldLeases, heldLeases } from "./held-leases.ts";
import { passThrough } from "./pass-through.ts";
import { instruments, type RunInstruments } from "./run-instruments.ts";
import { STORE } from "./store-option.ts";

/** Options of `withMetrics()`. */
export interface MetricOptions {
  /** The meter that records. Default: the meter `@pawl/otel` of the global provider. */
  meter?: Meter;
  /**
   * How long a run may wait for a process before it counts as stranded, in milliseconds. Default: 30,000,
   * which is three lease times.
   */
  strandedAfterMs?: number;
  /** The clock by which stranded runs are told apart. Default: the system clock. */
  clock?: Clock;
}

const OPTIONS: OptionKinds<MetricOptions> = {
  meter: { mustBe: "a Meter", is: (meter) => typeof Object(meter).createHistogram === "function" },
  strandedAfterMs: {
    mustBe: "a number of milliseconds from 0",
    is: (ms) => typeof ms === "number" && ms >= 0,
  },
  clock: "object",
};

/**
 * Wraps a store so that it records OpenTelemetry metrics of runs. Call it once in each process. No metric has
 * the id of a session or user.
 *
 * - `pawl.run.active`: the runs that this process works on
 * - `pawl.run.waiting`: the open runs that could go on and that no process works on. Counted in the store for
 *   each export, up to 1,000, so every process has the same number
 * - `pawl.run.stranded`: those of them that have waited longer than `strandedAfterMs`
 * - `pawl.run.wake.duration`: a histogram in seconds. From the time at which a run could go on (an answer or
 *   message was stored, or its time has come) until this process stored something for it. Both by the
 *   store's clock, so it holds across processes
 * - `pawl.run.takeovers`: the runs that this process continued after another one had died
 * - `pawl.run.handovers`: the runs that this process left, by `pawl.reason`: `draining`, `hand_over` or
 *   `taken_back`, as in the event `run_left`
 * - `pawl.run.ended`: the runs that ended in this process, by `pawl.stop`
 *
 * The wake's duration needs a store with `open`, which all of Pawl's stores have. An error of the meter is
 * reported to OpenTelemetry's `diag`; the run continues.
 *
 * @throws PawlError `config` for options that do not fit.
 * @example
 * ```ts
 * import { MeterProvider, type MetricProducer, MetricReader } from "@opentelemetry/sdk-metrics";
 * import { agent, memoryStore, runtime } from "@pawl/core";
 * import { withMetrics } from "@pawl/otel";
 * import { scriptedModel } from "@pawl/testing";
 *
 * class Reader extends MetricReader {
 *   protected async onForceFlush() {}
 *   protected async onShutdown() {}
 * }
 * const reader = new Reader(); // in an app an exporter, e.g. the PrometheusExporter
 * const provider = new MeterProvider({ readers: [reader] });
 *
 * const coach = agent({
 *   name: "coach",
 *   model: scriptedModel([{ text: "Hello." }]),
 *   instructions: "Be kind.",
 * });
 * const store = withMetrics(memoryStore(), { meter: provider.getMeter("app") });
 * await runtime({ agents: [coach], store }).run("coach", { userId: "ada", input: "Hi" }).result;
 *
 * const { resourceMetrics } = await reader.collect();
 * const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
 * const ended = all.find(({ descriptor }) => descriptor.name === "pawl.run.ended");
 * console.log(ended?.dataPoints.map(({ value, attributes }) => [value, attributes]));
 * // [ [ 1, { 'pawl.stop': 'end_turn' } ] ]
 * ```
 */
export function withMetrics(store: EventStore, options: MetricOptions = {}): EventStore {
  checkOptions("withMetrics()", { store }, STORE);
  checkOptions("withMetrics()", options, OPTIONS);
  const { meter = metrics.getMeter("@pawl/otel"), strandedAfterMs = 30_000, clock = systemClock } = options;
  const held = heldLeases();
  const run = instruments(meter, { store, strandedAfterMs, clock, active: held.count });
  const under = passThrough(store);
  const { open, appendWith } = under;
  const lost = (lease: Lease | undefined, error: unknown) => {
    if (lease !== undefined && PawlError.is(error, "fenced")) held.drop(lease);
  };
  const recorded = async (
    sessionId: string,
    { lease, release }: AppendOptions,
    appending: Promise<readonly StoredEvent[]>,
  ) => {
    try {
      const stored = await appending;
      record(run, held, lease, stored);
      // Another leg of this process may hold the session by now.
      if (release && lease !== undefined) held.drop(lease);
      else if (release) held.dropAny(sessionId);
      return stored;
    } catch (error) {
      lost(lease, error);
      throw error;
    }
  };
  return {
    ...under,
    ...(open && {
      open: async (session) => {
        const opened = await open(session);
        if (opened?.lease !== undefined) held.take(opened.lease, opened);
        return opened;
      },
    }),
    acquire: async (...args) => {
      const lease = await under.acquire(...args);
      if (lease !== undefined) held.take(lease);
      return lease;
    },
    renew: async (lease, ttlMs) => {
      const isHeld = await under.renew(lease, ttlMs);
      if (!isHeld) held.drop(lease);
      return isHeld;
    },
    release: async (lease) => {
      // Whether or not the store learns it: this process has stopped.
      held.drop(lease);
      await under.release(lease);
    },
    append: (id, events, options) => recorded(id, options, under.append(id, events, options)),
    ...(appendWith && {
      appendWith: (id, events, options, also) => recorded(id, options, appendWith(id, events, options, also)),
    }),
  };
}

/** Records what an append says. */
function record(
  run: RunInstruments,
  held: HeldLeases,
  lease: Lease | undefined,
  events: readonly StoredEvent[],
): void {
  try {
    const found = lease && held.foundBy(lease);
    const types = new Set<string>(events.map(({ type }) => type));
    if (found?.isAbandoned && types.has("run_recovered")) run.takenOver();
    else if (found !== undefined && !BY_CALLER.some((type) => types.has(type)))
      run.woken((Date.parse(events[0]?.at ?? "") - found.waitsSince) / 1_000);
    for (const { type, data } of events) {
      if (type === "run_left") run.handedOver(data.reason);
      else if (type === "run_ended") run.ended(data.stop.type);
    }
  } catch (error) {
    diag.error("@pawl/otel: no metric could be recorded for an append", error);
  }
}

/** Events of a leg's first append if a request to this process began it, and no wake. */
const BY_CALLER: readonly string[] = ["user_message", "run_started", "tool_answered", "stop_requested"];
