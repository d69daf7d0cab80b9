import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import { DATABASE } from "../database/check-database.ts";
import { ask, type Database, type Row } from "../database/queryable.ts";
import {
  beginSessions,
  endSessions,
  nextBlobs,
  nextEvents,
  nextSessions,
  oneBlob,
  storeBlob,
  storeEvents,
  targetsOf,
} from "./copy-statements.ts";

/** Options of `copyLog()`. */
export interface CopyOptions {
  /** Copies only sessions of this user. Default: all sessions. */
  userId?: string;
  /** Called for each copied session, once its page of 100 is complete, with its id and number of events. */
  onSession?(id: string, events: number): void;
}

/** The numbers of copied sessions, events and blobs. */
export interface CopiedLog {
  /** Sessions that were copied. */
  sessions: number;
  /** Events that were copied. */
  events: number;
  /** Blobs that were copied. */
  blobs: number;
  /** Sessions that the target had already. */
  present: number;
}

/**
 * The epoch of a session that is not copied completely. Its status is `expired`, so that no process runs it.
 */
const COPYING = -1;

/** The maximum number of events that one statement copies. */
const PAGE = 1_000;

const OPTIONS: OptionKinds<CopyOptions> = { userId: "string", onSession: "function" };

/**
 * Copies sessions with their events and blobs from one database to another, e.g. from an embedded one to a
 * server or back. Numbers, times, keys and append ids stay the same. Sessions that the target has already are
 * left unchanged. If a copy was interrupted, call `copyLog()` again to complete it. No process can run a
 * session before it is copied completely.
 *
 * A copy of a session with an open run has the open run too. If both databases have a runtime, both continue
 * the run, and its tools may run twice. To move a log, stop the processes of the source first, and do not
 * start them again.
 *
 * @throws PawlError `conflict` if the target has a different session with the same id, or the same session
 * with fewer events. `store_unavailable` if a database fails.
 *
 * @example
 * ```ts
 * import { copyLog, migrate } from "@pawl/postgres";
 * import { embeddedStore } from "@pawl/postgres/embedded";
 * import { Pool } from "pg";
 *
 * const store = await embeddedStore({ dataDir: "memory://" });
 * const server = new Pool({ connectionString: process.env.DATABASE_URL });
 * await migrate(server);
 * await store.sessions.create({ id: "s1", userId: "u1", agent: "coach" });
 * console.log(await copyLog(store.db, server)); // { sessions: 1, events: 0, blobs: 0, present: 0 }
 * await Promise.all([store.close(), server.end()]);
 * ```
 */
export async function copyLog(from: Database, to: Database, options: CopyOptions = {}): Promise<CopiedLog> {
  checkOptions("copyLog()", { from, to }, { from: DATABASE, to: DATABASE });
  checkOptions("copyLog()", options, OPTIONS);
  const copied: CopiedLog = { sessions: 0, events: 0, blobs: 0, present: 0 };
  let after = "";
  for (;;) {
    const rows = await ask(from, nextSessions, [after, options.userId ?? null]);
    const last = rows.at(-1);
    if (last === undefined) return copied;
    await copyPage(from, to, rows, copied, options);
    after = idOf(last);
  }
}

/** A session, of which the events after `after` have to be copied, up to `upto`. */
interface Rest {
  id: string;
  after: number;
  upto: number;
}

async function copyPage(
  from: Database,
  to: Database,
  rows: readonly Row[],
  copied: CopiedLog,
  { onSession }: CopyOptions,
): Promise<void> {
  const sessions = await begun(to, rows);
  copied.present += rows.length - sessions.length;
  if (sessions.length === 0) return;
  copied.blobs += await copyBlobs(from, to, sessions);
  for (let left = sessions; left.length > 0; ) {
    left = left.filter(({ after, upto }) => after < upto);
    if (left.length > 0) left = await copyEvents(from, to, left);
  }
  const ended = await ask(to, endSessions, [listOf(rows), COPYING]);
  if (ended.length < sessions.length) throw changed();
  for (const { id, after, upto } of sessions) {
    copied.sessions += 1;
    copied.events += upto - after;
    onSession?.(id, upto);
  }
}

/** Creates those of the sessions that the target lacks. Returns the ones that are not copied completely. */
async function begun(to: Database, rows: readonly Row[]): Promise<Rest[]> {
  const targets = await ask(to, targetsOf, [listOf(rows), COPYING]);
  const byPlace = new Map(targets.map((target) => [Number(target.place), target]));
  const rests = rows.flatMap((row, index) => {
    const target = byPlace.get(index + 1);
    const rest = {
      id: idOf(row),
      after: Number(target?.last_sequence ?? 0),
      upto: Number(row.last_sequence),
    };
    if (target === undefined || (target.same === true && target.copying === true)) return [rest];
    if (target.same === true && rest.after >= rest.upto) return [];
    throw new PawlError(
      "conflict",
      `The target has a different session "${rest.id}", or fewer events of it.`,
    );
  });
  if (rests.length > 0) await ask(to, beginSessions, [listOf(rows), COPYING]);
  return rests;
}

/** Returns rows of sessions as a JSON array. */
function listOf(rows: readonly Row[]): string {
  return `[${rows.map(({ session }) => String(session)).join(",")}]`;
}

/**
 * Returns the session's id. Reads it from JSON, because PGlite drops a byte order mark at the beginning of a
 * text.
 */
function idOf({ session }: Row): string {
  return (JSON.parse(String(session)) as { id: string }).id;
}

/** Copies the next events, of several sessions if they are short. Resolves to what is left. */
async function copyEvents(from: Database, to: Database, left: readonly Rest[]): Promise<Rest[]> {
  const wanted = firstOf(left);
  const rows = await ask(from, nextEvents, [JSON.stringify(wanted)]);
  const counts = wanted.map(() => 0);
  for (const { place } of rows) counts[Number(place) - 1] = (counts[Number(place) - 1] ?? 0) + 1;
  const steps = wanted.map(({ id, after }, index) => ({ id, after, count: counts[index] ?? 0 }));
  const moved = steps.filter(({ count }) => count > 0);
  const heads = `[${rows.map(({ head }) => String(head)).join(",")}]`;
  const payloads = `[${rows.map(({ data }) => String(data)).join(",")}]`;
  const [stored] = await ask(to, storeEvents, [JSON.stringify(moved), COPYING, heads, payloads]);
  if (moved.length === 0 || Number(stored?.sessions) < moved.length) throw changed();
  return left.map((rest, index) => ({ ...rest, after: rest.after + (counts[index] ?? 0) }));
}

/** Returns as many of the first events as one statement copies. */
function firstOf(left: readonly Rest[]): Rest[] {
  const wanted: Rest[] = [];
  let room = PAGE;
  for (const { id, after, upto } of left) {
    if (room === 0) break;
    const last = Math.min(upto, after + room);
    wanted.push({ id, after, upto: last });
    room -= last - after;
  }
  return wanted;
}

function changed(): PawlError {
  return new PawlError("conflict", "A session changed while it was copied.");
}

async function copyBlobs(from: Database, to: Database, sessions: readonly Rest[]): Promise<number> {
  const ids = sessions.map(({ id }) => id);
  const blobs = await ask(from, nextBlobs, [JSON.stringify(ids)]);
  for (const { place, id } of blobs) {
    const sessionId = ids[Number(place) - 1];
    const [blob] = await ask(from, oneBlob, [sessionId, id]);
    if (blob !== undefined) await ask(to, storeBlob, [sessionId, id, blob.data, blob.stored_at]);
  }
  return blobs.length;
}
