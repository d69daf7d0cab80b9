import type { Agent } from "../agent/agent.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { lazy } from "../base/once.ts";
import { randomId } from "../base/random-id.ts";
import { reporter } from "../base/reporter.ts";
import { newSlots } from "../base/slots.ts";
import { newSwitch } from "../base/switch.ts";
import { retryUnavailable } from "../base/try-again.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { localTail } from "../readers/local-tail.ts";
import { sessionWatches } from "../readers/session-watch.ts";
import type { BlobStore } from "../stores/blob-store.ts";
import { UPCASTERS, type Upcasters, upcastingStore } from "../stores/upcast.ts";
import { withBlobs } from "../stores/with-blobs.ts";
import { wrapStore } from "../stores/wrap-store.ts";
import { makeKeepAlive } from "./begin/beginning.ts";
import type { RuntimeOptions } from "./begin/runtime-types.ts";
import { lazyEngine } from "./later/lazy-engine.ts";
import { lazyLegFiles } from "./later/lazy-leg-files.ts";
import { lazyUserFiles } from "./later/lazy-user-files.ts";
import type { Host } from "./leg/host.ts";
import { isTask } from "./leg/task-session.ts";
import { notResult } from "./run/make-run.ts";
import { wakeLater } from "./wakes/wake.ts";

/** The default of `concurrency` for a process with an engine: how many runs it works on at a time. */
const CONCURRENCY = 100;

/** Creates the parts of a runtime from its options. The caller has checked them. */
export function makeHost<Deps>({
  agents,
  store,
  deps = () => undefined as Deps,
  withoutCredentials = "ask",
  tail = localTail(),
  waitUntil,
  concurrency,
  engine: ownEngine,
  onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`),
  upcasters = {},
  blobs,
  files,
  workLimits,
  times = {},
  testing = {},
}: RuntimeOptions<Deps>): Host {
  const { leaseTtlMs = 10_000, abortGraceMs = 1_000, pollMs = 1_000, storeRetryMs = [50, 250] } = times;
  const { newId = randomId, clock = systemClock } = testing;
  const slots = newSlots(concurrency ?? (ownEngine === undefined ? Number.POSITIVE_INFINITY : CONCURRENCY));
  // Runs above `concurrency` wait for a place. Without an engine of the application, one in memory wakes
  // them.
  const engine = ownEngine ?? (concurrency === undefined ? undefined : lazyEngine(clock, slots));
  const report = reporter("onError", onError);
  const byName = new Map(agents.map((agent) => [agent.name, agent as Agent]));
  const storeOnce = withBlobsAndUpcasters(store, blobs, upcasters);
  const storeWithRetries = retryingStore(storeOnce, storeRetryMs, clock);
  const host: Host = {
    agents: byName,
    store: storeWithRetries,
    storeOnce,
    files: files && lazyUserFiles(files, clock, workLimits),
    filesFor: (session) => lazyLegFiles(host, session),
    tail,
    watches: sessionWatches({ store: storeWithRetries, tail, pollMs }),
    atWork: new Map(),
    callers: new Map(),
    setbacks: new Map(),
    wakes: new Map(),
    wakeLater: (leg) => wakeLater(host, leg),
    stopRun: async (start) => await (await loadRarelyUsed()).stopRunOf(host, start),
    engine,
    hasOwnEngine: ownEngine !== undefined,
    mayLeave: ownEngine !== undefined || (engine !== undefined && waitUntil === undefined),
    slots,
    hasLimit: concurrency !== undefined,
    lacking: new Set(),
    mistakes: new Set(),
    notResult: notResult((field) => later(({ reportMisread }) => reportMisread(host, field))),
    unread: (...failed) => later(({ reportUnread }) => reportUnread(host, ...failed)),
    begins: new Set(),
    reads: new Set(),
    holder: lazy(newId),
    leaseTtlMs,
    abortGraceMs,
    pollMs,
    draining: false,
    staysAlive: waitUntil !== undefined,
    keepAlive: makeKeepAlive(waitUntil, report),
    handOverAfterMs: times.handOverAfterMs ?? Number.POSITIVE_INFINITY,
    handOvers: new Set(),
    over: newSwitch(),
    report,
    deps,
    withoutCredentials,
    tasks: lazyTasks(() => host),
    offers: loadRarelyUsed,
    newId,
    clock,
    workLimits,
  };
  return host;
}

/** Runs the tasks of sub-agents, with code that is loaded on first use. */
const lazyTasks = (host: () => Host): Host["tasks"] => ({
  run: async (leg, delegated) => await (await loadRarelyUsed()).delegateCall(host(), leg, delegated),
  work: async (leg, work) => await (await loadRarelyUsed()).workOnTask(host(), leg, work),
  begun: async (leg, call) => await (await loadRarelyUsed()).hasTask(host(), leg, call),
  open: async (leg, run) => {
    if (run.tasks.length === 0 && !run.calls.some(isTask)) return [];
    return await (await loadRarelyUsed()).openTasks(host(), leg, run);
  },
});

/** Calls rarely used code. If it cannot be loaded, nothing is reported. */
const later = (report: (code: Awaited<ReturnType<typeof loadRarelyUsed>>) => void) =>
  void loadRarelyUsed().then(report, () => undefined);

/** Loads the code for sub-agents, stops and tools of clients. Most processes never need this chunk. */
const loadRarelyUsed = () => import("./later/index.ts");

/** Wraps the store so that it keeps large payloads as blobs, and converts events of older formats. */
function withBlobsAndUpcasters(
  store: EventStore,
  blobs: BlobStore | undefined,
  upcasters: Upcasters,
): EventStore {
  const storeWithBlobs = blobs === undefined ? store : withBlobs(store, blobs);
  return upcastingStore(storeWithBlobs, { ...UPCASTERS, ...upcasters });
}

/**
 * Wraps a store so that appends and `open` are retried while it is unavailable. `delaysMs` are the pauses
 * before the retries, in milliseconds.
 *
 * Retries are safe. A repeated append has the same append id, so it is stored once. A repeated `open` has the
 * same holder, so it gets the same lease.
 */
export function retryingStore(store: EventStore, delaysMs: readonly number[], clock: Clock): EventStore {
  const append: EventStore["append"] = (sessionId, events, options) =>
    retryUnavailable(clock, delaysMs, () => store.append(sessionId, events, options));
  const wrapped = wrapStore(store);
  const { open, appendWith } = wrapped;
  return {
    ...wrapped,
    append,
    ...(appendWith && {
      appendWith: (...args) => retryUnavailable(clock, delaysMs, () => appendWith(...args)),
    }),
    ...(open && { open: (session) => retryUnavailable(clock, delaysMs, () => open(session)) }),
  };
}
