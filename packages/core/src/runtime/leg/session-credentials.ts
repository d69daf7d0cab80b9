import type { Clock } from "../../base/clock.ts";
import { withinDeadline, withTimeLimit } from "../../base/deadline.ts";
import { hidingTexts, secretWordsIn } from "../../base/hide-texts.ts";
import type { NewEvent } from "../../log/event.ts";
import { isReserved } from "../../log/event-keys.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { SessionCredentials } from "./callers.ts";
import type { Host } from "./host.ts";

/**
 * How long `of()` waits for requests that are being stored, in milliseconds. The event is already in the log,
 * so the append of its request is about to return.
 */
const PATIENCE_MS = 1_000;

/** Keeps the credentials that arrive for a session. `first` has those of the request that opened it. */
export function sessionCredentials(clock: Clock, first: unknown): Omit<SessionCredentials, "close"> {
  const secrets = new Set<string>();
  let hide = hidingTexts(secrets);
  let hasAny = false;
  const bySeq = new Map<number, unknown>();
  const pending = new Set<Promise<void>>();
  const addSecrets = (credentials: unknown) => {
    if (credentials === undefined) return;
    hasAny = true;
    const { size } = secrets;
    for (const secret of secretWordsIn(credentials)) secrets.add(secret);
    if (secrets.size > size) hide = hidingTexts(secrets);
  };
  addSecrets(first);
  return {
    hide: (value) => hide(value),
    take: (credentials, stored) => {
      if (credentials === undefined) return;
      addSecrets(credentials);
      const work = stored.then(
        (seq) => {
          if (seq !== undefined) bySeq.set(seq, credentials);
        },
        () => undefined,
      );
      pending.add(work);
      void work.then(() => pending.delete(work));
    },
    of: async (seq) => {
      if (!bySeq.has(seq) && pending.size > 0)
        await withTimeLimit(clock, PATIENCE_MS, (signal) =>
          withinDeadline({ clock, signal }, Promise.all(pending)),
        ).catch(() => undefined);
      return bySeq.get(seq);
    },
    isEmpty: () => !hasAny,
  };
}

/**
 * Calls `store`, which stores the events of a request. If this process holds the session's lease, the session
 * gets the request's credentials. They are hidden at once, and used once the events are stored.
 *
 * @param seqOf returns the `seq` of the request's first answer, or of its message
 */
export async function storeWithCredentials<T>(
  { callers }: Host,
  sessionId: string,
  credentials: unknown,
  store: () => Promise<T>,
  seqOf: (stored: T) => number | undefined,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const before = callers.get(sessionId);
  before?.take(credentials, promise);
  try {
    const stored = await store();
    resolve(seqOf(stored));
    // The lease may have been acquired in the meantime.
    const now = callers.get(sessionId);
    if (now !== before) now?.take(credentials, promise);
    return stored;
  } finally {
    resolve(undefined);
  }
}

/**
 * Types of events that are stored unchanged, because the model wrote them or reads them. They contain no
 * credentials: the model never reads any.
 */
const AS_WRITTEN: ReadonlySet<string> = new Set(["assistant_message", "tool_call", "llm_request"]);

/** Fields of Pawl's own events with names and ids, to which other events refer. They stay unchanged. */
const REFERENCES = ["tool_name", "call_id", "by", "agent", "idempotency_key", "child", "run_id", "prefix_id"];

/** Returns an event with credentials replaced. Pawl's own event keys and the `REFERENCES` stay unchanged. */
export function hiddenEvent(event: NewEvent, hide: Leg["access"]["hide"]): NewEvent {
  if (AS_WRITTEN.has(event.type)) return event;
  const key = event.key === undefined || isReserved(event.key) ? {} : { key: hide(event.key) };
  const data = hide<unknown>(event.data);
  // Types with a dot belong to other packages and to the application.
  if (event.type.includes(".")) return { ...event, ...key, data } as NewEvent;
  const kept = Object.entries(event.data as object).filter(([name]) => REFERENCES.includes(name));
  return { ...event, ...key, data: { ...(data as object), ...Object.fromEntries(kept) } } as NewEvent;
}
