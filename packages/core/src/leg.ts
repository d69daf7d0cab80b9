import type { Agent } from "./agent.ts";
import { messageOf } from "./errors.ts";
import type { EventData, NewEvent } from "./events/event.ts";
import type { LiveState } from "./events/live-tail.ts";
import type { Session } from "./events/session-row.ts";
import type { Hook, HookContext } from "./hooks/hook.ts";
import type { SessionLog } from "./session/log.ts";

/** One process's share of a run: everything that the loop and its stations work with. */
export interface Leg {
  readonly agent: Agent;
  readonly session: Session;
  /** What the runtime's `deps` made; set before the loop begins. */
  deps: unknown;
  /** Makes them, once. */
  makeDeps(): Promise<unknown>;
  readonly log: SessionLog;
  /** What readers in this process are shown before it is stored. */
  live: LiveState;
  /** Fires when the run is to stop, or the lease is lost. */
  readonly signal: AbortSignal;
  /** How far the log had come when it was stopped. */
  stoppedAt: number | undefined;
  /** The run that was begun when this leg's ended; the lease is kept for it. */
  next: string | undefined;
  /** The lease is gone: start nothing more, write nothing more. */
  lost: boolean;
  /** The process is going down: stop at the next turn boundary. */
  readonly draining: boolean;
  readonly abortGraceMs: number;
  now(): number;
  newId(): string;
  /** Tells readers that `live` has changed. */
  touch(): void;
  /** Logs an error after `events`, in one append, and tells the hooks. */
  fail(error: ErrorReport, events?: readonly NewEvent[]): Promise<void>;
  /** Tells the hooks of an error that is in the log. */
  tell(error: EventData["error"]): Promise<void>;
  /** Logs something that came too late to count. Needs no lease. */
  reportLate(error: ErrorReport): Promise<void>;
}

/** An error as the leg reports it. */
export type ErrorReport = Omit<EventData["error"], "stack">;

/** An `error` event. The stack is never stored: logs travel further than stacks should. */
export function errorEvent(error: ErrorReport): Extract<NewEvent, { type: "error" }> {
  return { type: "error", data: { ...error, stack: null } };
}

/**
 * Waits for something of the application's that may never settle: once the leg is stopped it has the grace to do so, and
 * then the promise rejects with the reason of the stop.
 */
export async function withinLeg<T>(
  { signal, abortGraceMs }: Pick<Leg, "signal" | "abortGraceMs">,
  work: T | PromiseLike<T>,
): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = () => {
    timer = setTimeout(() => reject(signal.reason), abortGraceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Calls `onError` of all hooks, one after the other. What a hook throws comes back as an event of its own. */
export async function tellHooks(
  leg: Pick<Leg, "signal" | "abortGraceMs">,
  hooks: readonly Hook[],
  error: EventData["error"],
  context: HookContext,
): Promise<NewEvent[]> {
  const failures: NewEvent[] = [];
  for (const hook of hooks) {
    try {
      await withinLeg(leg, hook.onError?.(error, context));
    } catch (cause) {
      failures.push(
        errorEvent({
          code: "hook_failed",
          message: `onError of "${hook.name}": ${messageOf(cause)}`,
          context: null,
        }),
      );
    }
  }
  return failures;
}
