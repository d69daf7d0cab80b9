import { ask, type Database } from "../database/queryable.ts";
import { pause, RETRY_MS } from "./keep-listening.ts";
import { type WakeUpEntry, wakeUps } from "./wake-ups.ts";

/** Notifies other processes of changes to sessions. */
export interface Announcer {
  /**
   * Adds an entry to the next batch. In each batch, only the highest number of a session is sent, and equal
   * entries are sent once.
   */
  say(...[sessionId, what]: WakeUpEntry): void;
  /** Sends a notification with only this process's id. If it arrives here, the connection works. */
  call(): Promise<void>;
  /** Resolves when no batch is being sent. */
  settled(): Promise<void>;
}

interface Options {
  /** Id of this process. */
  me: string;
  channel: string;
  /** The database for {@link Announcer.call}. */
  db: Database;
  /** The database with which batches are sent; `false` sends none. */
  notify: Database | false;
  /** Milliseconds for which entries are collected. */
  everyMs: number;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/**
 * The maximum number of entries that are kept while sending fails. Readers in other processes find the rest
 * by polling.
 */
const MOST_KEPT = 10_000;

/** Returns an announcer that sends the entries of `everyMs` milliseconds as one statement. */
export function announcer({ me, channel, db, notify, everyMs, onError, signal }: Options): Announcer {
  const stored = new Map<string, number>();
  const others = { live: new Set<string>(), read: new Set<string>() };
  let sending: Promise<void> | undefined;
  let failed = false;
  const send = async (payloads: readonly string[], over: Database) => {
    if (payloads.length > 0) await ask(over, notifyStatement, [channel, JSON.stringify(payloads)]);
  };
  const note = ([sessionId, what]: WakeUpEntry) => {
    if (typeof what === "number") stored.set(sessionId, Math.max(what, stored.get(sessionId) ?? 0));
    else others[what].add(sessionId);
  };
  const flush = async (over: Database, afterMs: number) => {
    await pause(afterMs, signal);
    const { live, read } = others;
    const entries: WakeUpEntry[] = [...stored];
    for (const id of live) entries.push([id, "live"]);
    for (const id of read) entries.push([id, "read"]);
    for (const said of [stored, live, read]) said.clear();
    sending = undefined;
    try {
      await send(wakeUps(me, entries), over);
      failed = false;
    } catch (error) {
      // Readers in other processes wait for these entries, so they are kept. Failures are reported once,
      // until sending works again.
      if (!failed) onError(error);
      failed = true;
      if (signal.aborted || entries.length > MOST_KEPT) return;
      entries.forEach(note);
      sending ??= flush(over, RETRY_MS);
    }
  };
  return {
    say(...entry) {
      if (notify === false || signal.aborted) return;
      note(entry);
      sending ??= flush(notify, everyMs);
    },
    call: () => send([JSON.stringify([me])], db),
    settled: async () => {
      await sending;
    },
  };
}

const notifyStatement = "SELECT pg_notify($1::text, p) FROM json_array_elements_text($2::text::json) AS p";
