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
   * The database for sending wake-ups and for writing and reading live text. A pooler works. `false`: this
   * process sends no wake-ups and writes no live text. Default: the database that is listened to.
   */
  notify?: Database | false;
  /** Least time between two writes of one session's live text, in milliseconds. Default: 150. */
  liveEveryMs?: number;
  /** The channel's name. Default: `pawl`. */
  channel?: string;
  /** Wake-ups within this many milliseconds are sent as one statement. Default: 10. */
  everyMs?: number;
  /**
   * How long this process's own test wake-up may take to arrive, in milliseconds, before the connection is
   * replaced. Default: 5,000.
   */
  patienceMs?: number;
  /**
   * Called with the reason if wake-ups cannot be sent or received; readers poll meanwhile. Default:
   * `console.error`.
   */
  onError?(error: unknown): void;
}

/** A live tail that has to be closed. */
export interface PostgresTail extends LiveTail {
  /** Whether wake-ups of other processes arrive. If not, readers find stored events by polling. */
  readonly listening: boolean;
  /** Resolves once it is first known whether wake-ups arrive, to that. */
  readonly ready: Promise<boolean>;
  /** Stops listening, sends what is pending, and deletes the live state of this process's runs. */
  close(): Promise<void>;
}

/**
 * Notifies readers in other processes than the run's, over `LISTEN` and `NOTIFY`. A wake-up carries only the
 * number of the session's last event. It is sent next to the append, not within it; readers get the events
 * from the store. So a lost wake-up delays a reader but loses no event: by `pollMs` while a run is in
 * progress, by up to a minute in an idle session. All processes that append should have such a tail, because
 * idle readers do not poll while it is `listening`.
 *
 * Text in progress and progress of tools are written to one row per session (table `agent_session_live`,
 * migration 7), but only while another process has announced that it has readers for that session.
 *
 * A pooler in transaction mode cannot listen: the tail notices that, and readers poll. A process that
 * receives no wake-ups cannot know of readers elsewhere, so it always writes the live state of its runs.
 *
 * It uses one connection of the pool to listen. Without this tail, readers in other processes poll (`pollMs`
 * of the runtime) and see stored events only.
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

/** Returns whether this process sent the wake-up. Calls `each` with the entries of other processes. */
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

/** Adds the live states of other processes to a local tail, and writes the local ones for them. */
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

/**
 * Keeps the sessions that have readers in other processes. A session is dropped unless it is announced again.
 */
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
