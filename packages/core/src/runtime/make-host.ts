import type { Agent } from "../agent/agent.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { once } from "../base/once.ts";
import { randomId } from "../base/random-id.ts";
import { newSlots, type Slots } from "../base/slots.ts";
import { newSwitch } from "../base/switch.ts";
import { tryAgain } from "../base/try-again.ts";
import type { Engine } from "../engine/engine.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { localTail } from "../readers/local-tail.ts";
import { sessionWatches } from "../readers/session-watch.ts";
import type { BlobStore } from "../stores/blob-store.ts";
import { UPCASTERS, type Upcasters, upcastingStore } from "../stores/upcast.ts";
import { withBlobs } from "../stores/with-blobs.ts";
import { wrapStore } from "../stores/wrap-store.ts";
import { keeper } from "./begin/beginning.ts";
import type { RuntimeOptions } from "./begin/runtime-types.ts";
import { lazyLegFiles } from "./later/lazy-leg-files.ts";
import { lazyUserFiles } from "./later/lazy-user-files.ts";
import type { Host } from "./leg/host.ts";
import { isTask } from "./leg/task-session.ts";
import { wakeLater } from "./wakes/wake.ts";

/** How many runs a process with an engine works on at a time. */
const CONCURRENCY = 100;

/** Creates the parts of a runtime from its options, which have been checked. */
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
  const engine = ownEngine ?? (concurrency === undefined ? undefined : lazyEngine(clock, slots));
  const report = reporter(onError);
  const byName = new Map(agents.map((agent) => [agent.name, agent as Agent]));
  const storeOnce = layered(store, blobs, upcasters);
  const log = retryingStore(storeOnce, storeRetryMs, clock);
  const host: Host = {
    agents: byName,
    store: log,
    storeOnce,
    files: files && lazyUserFiles(files, clock, workLimits),
    filesFor: (session) => lazyLegFiles(host, session),
    tail,
    watches: sessionWatches({ store: log, tail, pollMs }),
    atWork: new Map(),
    callers: new Map(),
    setbacks: new Map(),
    wakes: new Map(),
    wakeLater: (leg) => wakeLater(host, leg),
    stopRun: async (start) => await (await rarelyUsed()).stopRunOf(host, start),
    engine,
    hasOwnEngine: ownEngine !== undefined,
    mayLeave: ownEngine !== undefined || (engine !== undefined && waitUntil === undefined),
    slots,
    lacking: new Set(),
    begins: new Set(),
    reads: new Set(),
    holder: once(newId),
    leaseTtlMs,
    abortGraceMs,
    pollMs,
    draining: false,
    staysAlive: waitUntil !== undefined,
    keepAlive: keeper(waitUntil, report),
    handOverAfterMs: times.handOverAfterMs ?? Number.POSITIVE_INFINITY,
    handOvers: new Set(),
    over: newSwitch(),
    report,
    deps,
    withoutCredentials,
    tasks: {
      run: async (leg, delegated) => await (await rarelyUsed()).delegateCall(host, leg, delegated),
      open: async (leg, run) =>
        run.calls.some(isTask) ? await (await rarelyUsed()).openTasks(host, leg, run) : [],
    },
    offers: rarelyUsed,
    newId,
    clock,
    workLimits,
  };
  return host;
}

/** Makes `Host.report`. `onError` is the application's: it may throw, or return a promise that rejects. */
function reporter(onError: (error: unknown) => unknown): Host["report"] {
  const reported = async (error: unknown) => onError(error);
  return (error) =>
    void reported(error).catch((failure) =>
      console.error(`pawl: onError failed: ${PawlError.describe(failure)}`),
    );
}

/** The code for sub-agents, stops and tools of clients, in a chunk that most processes do not load. */
const rarelyUsed = () => import("./later/index.ts");

/** Wraps the store so that it loads blobs, and converts events of older formats. */
function layered(store: EventStore, blobs: BlobStore | undefined, upcasters: Upcasters): EventStore {
  const whole = blobs === undefined ? store : withBlobs(store, blobs);
  return upcastingStore(whole, { ...UPCASTERS, ...upcasters });
}

/** Makes the engine in the memory of this process. Its code is loaded when it is first used. */
export function lazyEngine(clock: Clock, slots: Slots): Engine {
  // Not the promise of the import, so that a failed import is tried again.
  let made: Engine | undefined;
  const load = async () => {
    const { engineInMemory } = await import("./later/index.ts");
    made ??= engineInMemory(clock, slots);
    return made;
  };
  return {
    wake: async (...given) => await (await load()).wake(...given),
    cancel: async (...given) => await (await load()).cancel(...given),
    work: async (...given) => await (await load()).work(...given),
  };
}

/**
 * Wraps a store so that appends and `open` are retried while it is unavailable. The append id makes that
 * safe: an append that was stored without an acknowledgement is not stored twice. So does the holder's name:
 * a holder that opens a session again gets its lease again. `delaysMs` are the delays between the attempts,
 * in milliseconds.
 */
export function retryingStore(store: EventStore, delaysMs: readonly number[], clock: Clock): EventStore {
  const append: EventStore["append"] = (sessionId, events, options) =>
    tryAgain(clock, delaysMs, () => store.append(sessionId, events, options));
  const wrapped = wrapStore(store);
  const { open, appendWith } = wrapped;
  return {
    ...wrapped,
    append,
    ...(appendWith && { appendWith: (...given) => tryAgain(clock, delaysMs, () => appendWith(...given)) }),
    ...(open && { open: (session) => tryAgain(clock, delaysMs, () => open(session)) }),
  };
}
