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

/** Listens until the signal aborts. Replaces the connection when it is lost or receives no notifications. */
export async function keepListening(ear: Ear): Promise<void> {
  const { signal, onState, onError } = ear;
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
async function listenOnce({ db, channel, heard, call, patienceMs, onState, signal }: Ear): Promise<boolean> {
  const lost = new AbortController();
  const over = AbortSignal.any([lost.signal, signal]);
  let echo = Promise.withResolvers<boolean>();
  const stop = await listen(db, channel, {
    heard: (payload) => heard(payload) && echo.resolve(true),
    lost: () => lost.abort(),
  });
  try {
    for (let times = 0; ; times += 1) {
      echo = Promise.withResolvers<boolean>();
      await call();
      const hears = await Promise.race([echo.promise, pause(patienceMs, over).then(() => false)]);
      if (over.aborted) return times > 0;
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
