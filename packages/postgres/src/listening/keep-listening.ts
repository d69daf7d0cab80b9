import { PawlError } from "@pawl/core";
import { backoff } from "@pawl/core/model";
import { type ListeningDatabase, listen } from "./listener.ts";

/** The time between two tests of a connection, in milliseconds. Also the longest wait before a reconnect. */
// Readers of idle sessions rely on notifications, so a dead connection must be noticed soon.
const CHECK_MS = 10_000;
/** The wait after the first failure, in milliseconds. */
export const RETRY_MS = 1_000;

interface Ear {
  db: ListeningDatabase;
  channel: string;
  /** Handles a notification. Returns whether this process sent it. */
  heard(payload: string): boolean;
  /** Sends a test notification. {@link Ear.heard} returns `true` for it. */
  call(): Promise<void>;
  /** How long the test notification may take to arrive, in milliseconds. */
  patienceMs: number;
  /** Called with whether notifications arrive: after each test, and when a connection fails or ends. */
  onState(listening: boolean): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** Returns the most connections that a pool of `pg` may have; `undefined` for another database. */
// The `sql` of postgres.js opens one more connection to listen, whatever its `max`.
function mostConnections(db: ListeningDatabase): unknown {
  const { options } = db as { options?: { max?: unknown } };
  return "connect" in db ? options?.max : undefined;
}

const TOO_SMALL =
  "postgresTail() does not listen, and readers poll: its pool has one connection (`max: 1`), and listening keeps one for itself. Raise `max` to 2 or more, or give postgresTail() a pool of its own.";

/** Listens until the signal aborts. Replaces the connection when it is lost or receives no notifications. */
export async function keepListening(ear: Ear): Promise<void> {
  const { signal, onState, onError } = ear;
  if (mostConnections(ear.db) === 1) {
    onError(new PawlError("config", TOO_SMALL));
    onState(false);
    return;
  }
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      if (await listenOnce(ear)) failures = 1;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    onState(false);
    // A database that restarts has lost the connections of all processes at the same moment.
    await pause(backoff(failures, { baseMs: RETRY_MS, maxMs: CHECK_MS }), signal);
  }
}

/** Listens on one connection until it is lost. Resolves to whether a test notification ever arrived. */
async function listenOnce({
  db,
  channel,
  heard,
  call,
  patienceMs,
  onState,
  onError,
  signal,
}: Ear): Promise<boolean> {
  const lost = new AbortController();
  const over = AbortSignal.any([lost.signal, signal]);
  let echo = Promise.withResolvers<boolean>();
  const late = setTimeout(() => onError(new Error(noConnection(patienceMs))), patienceMs);
  const stop = await listen(db, channel, {
    heard: (payload) => heard(payload) && echo.resolve(true),
    lost: () => lost.abort(),
  }).finally(() => clearTimeout(late));
  try {
    for (let times = 0; ; times += 1) {
      echo = Promise.withResolvers<boolean>();
      let isSent = false;
      const called = call().then(() => {
        isSent = true;
        return echo.promise;
      });
      const hears = await Promise.race([called, pause(patienceMs, over).then(() => false)]);
      called.catch(() => undefined);
      if (over.aborted) return times > 0;
      // The pool gets the connection back that listened, so that what waits for one can go on.
      if (!hears && !isSent) throw new Error(noConnection(patienceMs));
      if (!hears)
        throw new Error(
          "No notifications arrive, so readers poll. A pooler in transaction mode cannot listen: pass postgresTail() a direct connection.",
        );
      onState(true);
      await pause(CHECK_MS, over);
    }
  } finally {
    await stop();
  }
}

function noConnection(ms: number): string {
  return `postgresTail() has waited ${ms} ms for a connection of its pool, so readers poll. Listening keeps one connection, and needs one more.`;
}

/** Waits for `ms` milliseconds, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
