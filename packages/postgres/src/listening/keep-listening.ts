import { type ListeningDatabase, listen } from "./listener.ts";

/** How often a connection is tried out, and how long after a failure another one is made, in milliseconds. */
// Readers of idle sessions rely on wake-ups, so a dead connection must be noticed soon.
const CHECK_MS = 10_000;
export const RETRY_MS = 1_000;

interface Ear {
  db: ListeningDatabase;
  channel: string;
  /** Takes what comes in; `true` for what this process has sent itself. */
  heard(payload: string): boolean;
  /** Sends something that {@link Ear.heard} knows for its own. */
  call(): Promise<void>;
  /** How long that may take. */
  patienceMs: number;
  /** Told after each try whether what is sent comes in. */
  onState(listening: boolean): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** Listens until the signal is aborted, on a new connection when one is lost or deaf. */
export async function keepListening(ear: Ear): Promise<void> {
  const { signal, onState, onError } = ear;
  for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(wait * 2, CHECK_MS)) {
    try {
      if (await listenOnce(ear)) wait = RETRY_MS;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    onState(false);
    await pause(wait, signal);
  }
}

/** Listens on one connection as long as it lives; whether it ever heard anything. */
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
      if (!hears) throw new Error("Wake-ups do not come in; readers poll. Is there a pooler in between?");
      onState(true);
      await pause(CHECK_MS, over);
    }
  } finally {
    await stop();
  }
}

/** Waits, but no longer than until `signal`. */
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
