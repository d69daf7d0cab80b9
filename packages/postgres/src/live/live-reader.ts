import { isName, type LiveState } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { pause } from "../listening/keep-listening.ts";
import { type LiveRow, readLive, takeRow } from "./live-rows.ts";

/** How often rows are read if no wake-ups arrive, in milliseconds. */
const POLL_MS = 500;
/**
 * How often this process announces the sessions that it reads, in milliseconds. It then reads their rows too,
 * in case a wake-up was lost.
 */
export const ASK_MS = 10_000;
/** Wake-ups within this many milliseconds are handled by one statement. */
const GATHER_MS = 5;

/** Reads the live states of other processes' legs, for the sessions that have readers here. */
export interface LiveReader {
  peek(sessionId: string): LiveState | undefined;
  /** Registers a reader of this session, until the returned function is called. */
  watch(sessionId: string): () => void;
  /** Reads the session's row soon, because it may have changed. */
  changed(sessionId: string): void;
  /** Drops the state of another process, because a leg of this session runs here. */
  forget(sessionId: string): void;
  close(): void;
}

interface Options {
  db: Database;
  /** Whether the session's leg runs in this process, which needs no row. */
  isHere(sessionId: string): boolean;
  listening(): boolean;
  /** Announces to all processes that this session has readers here. */
  ask(sessionId: string): void;
  /** Called when a session's state has changed. */
  show(sessionId: string, state: LiveState | undefined): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

interface Watched {
  readers: number;
  row: { leg: string; version: number } | undefined;
  state: LiveState | undefined;
}

/** Reads rows after a wake-up, and from time to time. */
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
      // No session can have this name, and the database would refuse it.
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
  one.state ??= { attempt: row.attempt, parts: [], progress: new Map(), agents: new Map() };
  takeRow(one.state, row);
  return true;
}

/**
 * Batches ids: calls `work` once for all ids that arrive within a few milliseconds, or while an earlier call
 * runs.
 */
function gathered(
  work: (ids: readonly string[]) => Promise<void>,
  { onError, signal }: Pick<Options, "onError" | "signal">,
): (id: string) => void {
  const due = new Set<string>();
  let working = false;
  // Report a failure once until a read succeeds: without wake-ups, rows are read twice a second.
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
