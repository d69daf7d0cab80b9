import { type LiveTail, localTail, messageOf } from "@pawl/core";
import { keepListening, pause } from "./keep-listening.ts";
import type { ListeningDatabase } from "./listener.ts";
import { ask, type Database } from "./queryable.ts";
import { parseWakeUp, wakeUps } from "./wake-ups.ts";

export interface PostgresTailOptions {
  /** Where wake-ups are sent; default: where is listened. A pooler will do. `false`: this process sends none. */
  notify?: Database | false;
  /** The channel's name; default `pawl`. */
  channel?: string;
  /** Wake-ups of so many milliseconds are sent as one statement; default 10. */
  everyMs?: number;
  /** How long one's own wake-up may take before the connection is thought deaf, in milliseconds; default 5,000. */
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
 * The tail for readers in other processes than the run's, over `LISTEN` and `NOTIFY`. Only wake-ups travel, "there are
 * events up to", sent beside the appends and not within them; events are read from the store by number. So what gets
 * lost costs a reader its polling interval and never an event, and a pooler in transaction mode, which cannot listen, is
 * noticed and left alone. Text that is being written is shown to readers in the run's own process only.
 *
 * It takes one connection of the pool to listen on. Without this tail, readers in other processes poll (`pollMs` of the
 * runtime).
 *
 * @example
 * ```ts
 * import { PGlite } from "@electric-sql/pglite";
 * import { runtime } from "@pawl/core";
 * import { migrate, postgresStore, postgresTail } from "@pawl/postgres";
 *
 * const db = await PGlite.create(); // or a pg.Pool, or postgres()
 * await migrate(db);
 * const tail = postgresTail(db);
 * runtime({ agents: [], store: postgresStore(db), tail });
 * console.log(await tail.ready); // true: wake-ups come in
 * await tail.close();
 * await db.close();
 * ```
 */
export function postgresTail(db: ListeningDatabase, options: PostgresTailOptions = {}): PostgresTail {
  const { notify = db, channel = "pawl", everyMs = 10, patienceMs = 5_000 } = options;
  const { onError = (error) => console.error(`pawl: ${messageOf(error)}`) } = options;
  const local = localTail();
  const me = crypto.randomUUID();
  const closing = new AbortController();
  const { promise: ready, resolve: known } = Promise.withResolvers<boolean>();
  let listening = false;

  const send = async (payloads: readonly string[], over: Database = db) => {
    if (payloads.length > 0) await ask(over, notifyStatement, [channel, JSON.stringify(payloads)]);
  };
  const waiting = new Map<string, number>();
  let sending: Promise<void> | undefined;
  const flush = async (over: Database) => {
    await pause(everyMs, closing.signal);
    const payloads = wakeUps(me, waiting);
    waiting.clear();
    sending = undefined;
    await send(payloads, over).catch(onError);
  };
  const running = keepListening({
    db,
    channel,
    heard(payload) {
      const wakeUp = parseWakeUp(payload);
      if (wakeUp?.from === me) return true;
      for (const [sessionId, seq] of wakeUp?.sessions ?? []) local.stored(sessionId, seq);
      return false;
    },
    call: () => send([JSON.stringify([me])]),
    patienceMs,
    onState(is) {
      listening = is;
      known(is);
    },
    onError,
    signal: closing.signal,
  });
  return {
    ...local,
    stored(sessionId, seq) {
      local.stored(sessionId, seq);
      if (notify === false || closing.signal.aborted) return;
      waiting.set(sessionId, Math.max(seq, waiting.get(sessionId) ?? 0));
      sending ??= flush(notify);
    },
    get listening() {
      return listening;
    },
    ready,
    async close() {
      closing.abort();
      await sending;
      await running;
    },
  };
}

const notifyStatement = "SELECT pg_notify($1::text, p) FROM json_array_elements_text($2::text::json) AS p";
