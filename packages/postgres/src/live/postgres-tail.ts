import { messageOf } from "@pawl/core";
import { type LiveTail, localTail } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { announcer } from "../listening/announce.ts";
import { keepListening } from "../listening/keep-listening.ts";
import type { ListeningDatabase } from "../listening/listener.ts";
import { parseWakeUp, type WakeUpEntry } from "../listening/wake-ups.ts";
import { ASK_MS, type LiveReader, liveReader } from "./live-reader.ts";
import { type LiveWriter, liveWriter } from "./live-writer.ts";

/** Options of `postgresTail()`. */
export interface PostgresTailOptions {
  /**
   * Where wake-ups are sent, and live text is written and read; default: where is listened. A pooler will do.
   * `false`: this process sends nothing, and shows others no live text.
   */
  notify?: Database | false;
  /** The time between two writes of one session's live text, in milliseconds; default 150. */
  liveEveryMs?: number;
  /** The channel's name; default `pawl`. */
  channel?: string;
  /** Wake-ups of so many milliseconds are sent as one statement; default 10. */
  everyMs?: number;
  /**
   * How long one's own wake-up may take before the connection is thought deaf, in milliseconds; default
   * 5,000.
   */
  patienceMs?: number;
  /** Told why wake-ups cannot be sent or heard; readers poll meanwhile. Default: `console.error`. */
  onError?(error: unknown): void;
}

/** A live tail that has to be closed. */
export interface PostgresTail extends LiveTail {
  /** Whether wake-ups of other processes come in; if not, readers find stored events by polling. */
  readonly listening: boolean;
  /** Settles when it is known for the first time whether wake-ups come in. */
  readonly ready: Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The tail for readers in other processes than the run's, over `LISTEN` and `NOTIFY`. Only wake-ups travel,
 * "there are events up to", sent beside the appends and not within them; events are read from the store by
 * number. So what gets lost costs a reader time and never an event: `pollMs` while a run is in progress, a
 * minute in an idle session. All processes that append should have such a tail, because idle readers do not
 * poll while it is `listening`.
 *
 * Text that is being written, and progress, are kept in a row of their own (table `agent_session_live`,
 * migration 7) as long as another process says that it has readers of the session. Without such readers
 * nothing is written.
 *
 * A pooler in transaction mode cannot listen: that is noticed, and readers poll. A process that cannot be
 * told of readers elsewhere writes what its runs do in any case.
 *
 * It takes one connection of the pool to listen on. Without this tail, readers in other processes poll
 * (`pollMs` of the runtime) and see stored events only.
 *
 * @example
 * ```ts
 * import { runtime } from "@pawl/core";
 * import { migrate, postgresStore, postgresTail } from "@pawl/postgres";
 * import { Pool } from "pg";
 *
 * const db = new Pool({ connectionString: process.env.DATABASE_URL }); // or postgres(), or a PGlite
 * await migrate(db);
 * const tail = postgresTail(db);
 * runtime({ agents: [], store: postgresStore(db), tail });
 * console.log(await tail.ready); // true: wake-ups come in
 * await tail.close();
 * await db.end();
 * ```
 */
export function postgresTail(db: ListeningDatabase, options: PostgresTailOptions = {}): PostgresTail {
  const { notify = db, channel = "pawl", everyMs = 10, patienceMs = 5_000, liveEveryMs = 150 } = options;
  const { onError = (error) => console.error(`pawl: ${messageOf(error)}`) } = options;
  const local = localTail();
  const me = crypto.randomUUID();
  const closing = new AbortController();
  const { signal } = closing;
  const { promise: ready, resolve: known } = Promise.withResolvers<boolean>();
  const elsewhere = readElsewhere();
  let listening = false;

  const { say, call, settled } = announcer({ me, channel, db, notify, everyMs, onError, signal });
  const writer = liveWriter({
    db: notify || db,
    everyMs: liveEveryMs,
    isRead: (id) => notify !== false && (!listening || elsewhere.has(id)),
    tell: (id) => say(id, "live"),
    onError,
    signal,
  });
  const reader = liveReader({
    db: notify || db,
    isHere: (id) => local.peek(id).live !== undefined,
    listening: () => listening,
    ask: (id) => say(id, "read"),
    show(id, live) {
      if (live !== undefined) local.stored(id, live.attempt);
      local.touch(id);
    },
    onError,
    signal,
  });
  const live = withSubscribers(withLive(local, writer, reader));
  const running = keepListening({
    db,
    channel,
    heard: (payload) =>
      isOwn(payload, me, ([id, what]) => {
        if (what === "live") reader.changed(id);
        else if (what !== "read") local.stored(id, what);
        else if (elsewhere.add(id)) writer.touch(id);
      }),
    call,
    patienceMs,
    onState(is) {
      known(is);
      if (is === listening) return;
      listening = is;
      live.notifyAll();
    },
    onError,
    signal,
  });
  return {
    ...live.tail,
    stored(sessionId, seq, events) {
      local.stored(sessionId, seq, events);
      say(sessionId, seq);
    },
    get listening() {
      return listening;
    },
    ready,
    async close() {
      reader.close();
      await writer.settled();
      closing.abort();
      await settled();
      await running;
    },
  };
}

/** Whether this process sent the wake-up; entries of other processes are passed on. */
function isOwn(payload: string, me: string, each: (entry: WakeUpEntry) => void): boolean {
  const wakeUp = parseWakeUp(payload);
  if (wakeUp?.from !== me) wakeUp?.sessions.forEach(each);
  return wakeUp?.from === me;
}

/** The tail, and a function that calls every subscriber of every session. */
function withSubscribers(tail: LiveTail): { tail: LiveTail; notifyAll(): void } {
  const all = new Set<() => void>();
  const subscribe: LiveTail["subscribe"] = (sessionId, onChange) => {
    const call = () => onChange();
    all.add(call);
    const leave = tail.subscribe(sessionId, call);
    return () => {
      all.delete(call);
      leave();
    };
  };
  const notifyAll = () => {
    for (const call of all) call();
  };
  return { tail: { ...tail, subscribe }, notifyAll };
}

/** What goes on here is shown elsewhere, and what goes on elsewhere here. */
function withLive(local: LiveTail, writer: LiveWriter, reader: LiveReader): LiveTail {
  return {
    ...local,
    live(sessionId) {
      const state = local.live(sessionId);
      reader.forget(sessionId);
      writer.begin(sessionId, state);
      return state;
    },
    touch(sessionId) {
      local.touch(sessionId);
      writer.touch(sessionId);
    },
    end(sessionId) {
      local.end(sessionId);
      writer.end(sessionId);
    },
    peek(sessionId) {
      const here = local.peek(sessionId);
      return here.live === undefined ? { ...here, live: reader.peek(sessionId) } : here;
    },
    subscribe(sessionId, onChange) {
      const unsubscribe = local.subscribe(sessionId, onChange);
      const leave = reader.watch(sessionId);
      return () => {
        leave();
        unsubscribe();
      };
    },
  };
}

/** The sessions that other processes say they have readers of. What is not said again is forgotten. */
function readElsewhere(): { has(id: string): boolean; add(id: string): true } {
  const lastMs = 2.5 * ASK_MS;
  const until = new Map<string, number>();
  let sweepAt = 1_000;
  return {
    has: (id) => (until.get(id) ?? 0) > performance.now(),
    add(id) {
      const now = performance.now();
      until.set(id, now + lastMs);
      if (until.size >= sweepAt) {
        for (const [one, end] of until) if (end <= now) until.delete(one);
        sweepAt = Math.max(1_000, 2 * until.size);
      }
      return true;
    },
  };
}
