import type { Agent } from "../agent/agent.ts";
import { systemClock } from "../base/clock.ts";
import { PawlError } from "../base/errors.ts";
import { once } from "../base/once.ts";
import { randomId } from "../base/random-id.ts";
import { newSlots } from "../base/slots.ts";
import { newSwitch } from "../base/switch.ts";
import type { EventStore } from "../log/store/event-store.ts";
import { localTail } from "../readers/local-tail.ts";
import { sessionWatches } from "../readers/session-watch.ts";
import type { BlobStore } from "../stores/blob-store.ts";
import { retryingStore } from "../stores/retrying-store.ts";
import { UPCASTERS, type Upcasters, upcastingStore } from "../stores/upcast.ts";
import { withBlobs } from "../stores/with-blobs.ts";
import { keeper } from "./begin/beginning.ts";
import type { RuntimeOptions } from "./begin/runtime-types.ts";
import { lazyEngine } from "./later/lazy-engine.ts";
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
  leaseTtlMs = 10_000,
  abortGraceMs = 1_000,
  waitUntil,
  handOverAfterMs = Number.POSITIVE_INFINITY,
  newId = randomId,
  clock = systemClock,
  concurrency,
  engine: ownEngine,
  pollMs = 1_000,
  storeRetryMs = [50, 250],
  onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`),
  upcasters = {},
  blobs,
  files,
  workLimits,
}: RuntimeOptions<Deps>): Host {
  const slots = newSlots(concurrency ?? (ownEngine === undefined ? Number.POSITIVE_INFINITY : CONCURRENCY));
  const engine = ownEngine ?? (concurrency === undefined ? undefined : lazyEngine(clock, slots));
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
    keepAlive: keeper(waitUntil, onError),
    handOverAfterMs,
    handOvers: new Set(),
    over: newSwitch(),
    report: onError,
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

/** The code for sub-agents, stops and tools of clients, in a chunk that most processes do not load. */
const rarelyUsed = () => import("./later/index.ts");

/** Wraps the store so that it loads blobs, and converts events of older formats. */
function layered(store: EventStore, blobs: BlobStore | undefined, upcasters: Upcasters): EventStore {
  const whole = blobs === undefined ? store : withBlobs(store, blobs);
  return upcastingStore(whole, { ...UPCASTERS, ...upcasters });
}
