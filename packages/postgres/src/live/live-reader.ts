import { isName, type LiveState } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { pause } from "../listening/keep-listening.ts";
import { type LiveRow, readLive, takeRow } from "./live-rows.ts";

/** How often rows are read if notifications do not arrive, in milliseconds. */
const POLL_MS = 500;
/**
 * How often this process announces the sessions that its readers follow, in milliseconds. The rows of these
 * sessions are read at the same interval, in case a notification was lost.
 */
export const ASK_MS = 10_000;
/** Notifications within this many milliseconds are handled by one statement. */
const GATHER_MS = 5;

/** Reads the live states of legs in other processes, for sessions that have readers in this process. */
export interface LiveReader {
  /** Returns the session's live state, if a leg in another process has one. */
  peek(sessionId: string): LiveState | undefined;
  /** Registers a reader of a session. Returns a function that removes the reader. */
  watch(sessionId: string): () => void;
  /** Reads the session's row soon, because it may have changed. */
  changed(sessionId: string): void;
  /** Drops the live state that came from another process, because the session's leg now runs here. */
  forget(sessionId: string): void;
  close(): void;
}

interface Options {
  db: Database;
  /** Returns whether the session's leg runs in this process, so that no row is needed. */
  isHere(sessionId: string): boolean;
  /** Returns whether this process currently receives notifications. */
  listening(): boolean;
  /** Announces to other processes that this session has readers here. */
  ask(sessionId: string): void;
  /** Called with a session's new live state. */
  show(sessionId: string, state: LiveState | undefined): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

interface Watched {
  readers: number;
  row: { leg: string; version: number } | undefined;
  state: LiveState | undefined;
}

/** Returns a reader that reads rows after each notification, and from time to time. */
export function liveReader({ db, isHere, listening, ask, show, onError, signal }: Options): LiveReader {
  const watched = new Map<string, Watched>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let askedAt = 0;

  const elsewhere = (id: string) => watched.has(id) && !isHere(id);
  const readRows = async (due: readonly string[]) => {
    const ids = due.filter(elsewhere);
    if (ids.length === 0) return;
    const rows = await readLive(
      db,
      ids.map((id) => ({ id, leg: "", version: 0, ...watched.get(id)?.row })),
    );
    for (const [n, id] of ids.entries()) {
      const one = watched.get(id);
      if (one !== undefined && elsewhere(id) && taken(one, rows[n])) show(id, one.state);
    }
  };
  const changed = gathered(readRows, { onError, signal });
  const look = () => {
    const asks = performance.now() - askedAt > ASK_MS;
    if (!asks && listening()) return;
    if (asks) askedAt = performance.now();
    for (const id of [...watched.keys()].filter(elsewhere)) {
      if (asks) ask(id);
      changed(id);
    }
  };
  return {
    peek: (id) => watched.get(id)?.state,
    watch(id) {
      // No session can have such an id, and the database would refuse it.
      if (!isName(id)) return () => undefined;
      const one = watched.get(id) ?? { readers: 0, row: undefined, state: undefined };
      one.readers += 1;
      watched.set(id, one);
      if (one.readers === 1 && elsewhere(id)) {
        ask(id);
        changed(id);
      }
      timer ??= setInterval(look, POLL_MS);
      return () => {
        one.readers -= 1;
        if (one.readers === 0) watched.delete(id);
        if (watched.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    changed(id) {
      if (watched.has(id)) changed(id);
    },
    forget(id) {
      const one = watched.get(id);
      if (one !== undefined) taken(one, undefined);
    },
    close: () => clearInterval(timer),
  };
}

/** Applies a row to a session's state. Returns whether the state changed. */
function taken(one: Watched, row: LiveRow | undefined): boolean {
  if (row === undefined) {
    const had = one.state !== undefined;
    Object.assign(one, { row: undefined, state: undefined });
    return had;
  }
  if (row.account === undefined) return false;
  if (one.row?.leg !== row.leg) one.state = undefined;
  one.row = { leg: row.leg, version: row.version };
  one.state ??= { attempt: row.attempt, parts: [], reports: [], agents: new Map() };
  takeRow(one.state, row);
  return true;
}

/**
 * Returns a function that collects ids. `work` is called once for all ids that arrive within
 * {@link GATHER_MS} or during the previous call.
 */
function gathered(
  work: (ids: readonly string[]) => Promise<void>,
  { onError, signal }: Pick<Options, "onError" | "signal">,
): (id: string) => void {
  const due = new Set<string>();
  let working = false;
  // Failures are reported once, until a read succeeds: without notifications, rows are read twice a second.
  let failed = false;
  const workOn = async () => {
    while (due.size > 0 && !signal.aborted) {
      await pause(GATHER_MS, signal);
      const ids = [...due];
      due.clear();
      if (!signal.aborted) await work(ids);
      failed = false;
    }
  };
  const start = async () => {
    working = true;
    try {
      await workOn();
    } catch (error) {
      due.clear();
      if (!signal.aborted && !failed) onError(error);
      failed = true;
    }
    working = false;
  };
  return (id) => {
    due.add(id);
    if (!working) void start();
  };
}
