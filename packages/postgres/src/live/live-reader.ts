import { isName, type LiveState } from "@pawl/core/store";
import type { Database } from "../database/queryable.ts";
import { pause } from "../listening/keep-listening.ts";
import { type LiveRow, readLive, takeRow } from "./live-rows.ts";

/** How often rows are looked at where no wake-ups come in, in milliseconds. */
const POLL_MS = 500;
/**
 * How often it is said which sessions are read here, in milliseconds; and then looked at, should a wake-up be
 * lost.
 */
export const ASK_MS = 10_000;
/** Wake-ups of so many milliseconds are answered by one statement. */
const GATHER_MS = 5;

/** What legs of other processes are doing, in the sessions that are read here. */
export interface LiveReader {
  peek(sessionId: string): LiveState | undefined;
  /** Somebody reads this session, until the returned function is called. */
  watch(sessionId: string): () => void;
  /** Its row may have changed. */
  changed(sessionId: string): void;
  /** The session is at work here: what others have said of it is old. */
  forget(sessionId: string): void;
  close(): void;
}

interface Options {
  db: Database;
  /** Whether it is at work in this process, which needs no row. */
  isHere(sessionId: string): boolean;
  listening(): boolean;
  /** Says in all processes that this session is read here. */
  ask(sessionId: string): void;
  /** There is something new. */
  show(sessionId: string, state: LiveState | undefined): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

interface Watched {
  readers: number;
  row: { leg: string; version: number } | undefined;
  state: LiveState | undefined;
}

/** Reads rows when it is told to, or from time to time. */
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
      // Nobody has a session of such a name, and the database would refuse it.
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

/** Takes in what the database has of a session; whether that is anything new. */
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
 * Does a piece of work for all ids that are named within a few milliseconds, or while it is being done for
 * others.
 */
function gathered(
  work: (ids: readonly string[]) => Promise<void>,
  { onError, signal }: Pick<Options, "onError" | "signal">,
): (id: string) => void {
  const due = new Set<string>();
  let working = false;
  // A failure is told once, until it works again: readers look twice a second where nothing comes in.
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
