import { PawlError } from "@pawl/core";
import { type LiveTail, localTail } from "@pawl/core/store";
import { reporter } from "@pawl/core/tools";
import { announcer } from "../listening/announce.ts";
import { keepListening } from "../listening/keep-listening.ts";
import type { ListeningDatabase } from "../listening/listener.ts";
import { parseWakeUp, type WakeUpEntry } from "../listening/wake-ups.ts";
import { ASK_MS, type LiveReader, liveReader } from "./live-reader.ts";
import { type LiveWriter, liveWriter } from "./live-writer.ts";
import { checkTail, type PostgresTailOptions } from "./tail-options.ts";

/** A live tail over `LISTEN` and `NOTIFY`. Close it at the end. */
export interface PostgresTail extends LiveTail {
  /** Whether notifications of other processes arrive. If not, readers find stored events by polling. */
  readonly listening: boolean;
  /** Resolves after the first test of the connection: `true` if notifications arrive. */
  readonly ready: Promise<boolean>;
  /** Stops listening, sends pending notifications, and deletes the live text of this process's runs. */
  close(): Promise<void>;
}

/**
 * Notifies readers in other processes of new events, over `LISTEN` and `NOTIFY`, and shows them text while it
 * is written. Without this tail, such readers poll (`times.pollMs` of `runtime()`) and see stored events
 * only.
 *
 * - Give every process that runs agents this tail: readers of idle sessions do not poll while it is
 *   `listening`.
 * - A notification has only the number of a session's last event; readers get the events from the store. If a
 *   notification is lost, a reader gets the event later, but misses nothing: up to `times.pollMs` later
 *   during a run, up to a minute otherwise.
 * - Text in progress is written to the table `agent_session_live`, one row per session, while another process
 *   has readers for the session. (A process that receives no notifications knows of no readers, so it always
 *   writes.)
 * - Listening keeps one connection of the pool, so the pool needs at least one more. With a pool of `pg` of
 *   one connection, the tail does not listen: it reports that to `onError`, and readers poll.
 * - The connection cannot be behind a pooler in transaction mode: the tail reports that to `onError`, and
 *   readers poll.
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
 * console.log(await tail.ready); // true: notifications arrive
 * await tail.close();
 * await db.end();
 * ```
 */
export function postgresTail(db: ListeningDatabase, options: PostgresTailOptions = {}): PostgresTail {
  checkTail(db, options);
  const { onError = (error) => console.error(`pawl: ${PawlError.describe(error)}`) } = options;
  return openTail(db, { ...options, onError: reporter("onError", onError) });
}

type TailSettings = PostgresTailOptions & Required<Pick<PostgresTailOptions, "onError">>;

function openTail(db: ListeningDatabase, { onError, ...options }: TailSettings): PostgresTail {
  const { notify = db, channel = "pawl", everyMs = 10, patienceMs = 5_000, liveEveryMs = 150 } = options;
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

/** Returns whether this process sent the notification. Calls `each` with the entries of other processes. */
function isOwn(payload: string, me: string, each: (entry: WakeUpEntry) => void): boolean {
  const wakeUp = parseWakeUp(payload);
  if (wakeUp?.from !== me) wakeUp?.sessions.forEach(each);
  return wakeUp?.from === me;
}

/** Returns the tail, and a function that calls every subscriber of every session. */
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

/**
 * Adds the live states of other processes to a local tail, and writes the local states for other processes.
 */
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
 * Remembers the sessions that have readers in other processes. Forgets a session that is not announced again.
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
