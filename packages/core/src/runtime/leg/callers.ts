import type { StoredEvent, StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { Access, Leg } from "../../loop/leg/leg.ts";
import type { RunState } from "../../session/state.ts";

/** An access that also has its dependencies, once they are made. */
export interface OwnAccess extends Access {
  /** The value that the runtime's `deps` returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
}

/** The credentials that came to this process while it has a session's lease. */
export interface SessionCredentials {
  /** Replaces texts of all these credentials in a value that will be stored or shown. */
  hide: Leg["access"]["hide"];
  /**
   * Takes the credentials of a request, whose texts are hidden from now on. `stored` resolves to the `seq` of
   * the request's first answer, or of its message; to `undefined` if it was not stored.
   */
  take(credentials: unknown, stored: Promise<number | undefined>): void;
  /** Returns the credentials that came with an event; `undefined` if they did not come to this process. */
  of(seq: number): Promise<unknown>;
  /** Whether no credentials have come. */
  isEmpty(): boolean;
  /** Stops taking credentials, because the lease is released. */
  close(): void;
}

/** What the callers need to know of the leg that works for them. */
export interface CallersLeg extends Pick<Leg, "life" | "log"> {
  readonly session: Session;
  readonly access: OwnAccess;
}

/**
 * For whom the runs of a session work while this process has its lease: now, after each answer, and in the
 * runs that queued messages start. Each access has only the credentials that came with its own request.
 */
export interface Callers extends SessionCredentials {
  /** Returns the access of the open run; without one, that of the request which has opened the session. */
  ofRun(open: RunState | undefined): OwnAccess;
  /** Notes the caller that a stored answer has brought. A new run forgets those of the run before it. */
  note(event: StoredEvent): void;
  /** Whether an answer has come from another caller, or with other credentials. */
  readonly hasNew: boolean;
  /** Forgets these answers, because a leg is made for the run as they have left it. */
  forget(): void;
  /**
   * Passes `use` the access after the answers that have come, if it is another one. Forgets them once `use`
   * has resolved. Rejects with the error of `deps`, or of `use`.
   */
  renew(leg: CallersLeg, use: (access: OwnAccess) => Promise<void>): Promise<void>;
  /** Returns the access of the run that a queued message starts. */
  ofMessage(message: StoredOf<"user_message">): Promise<OwnAccess>;
  /** Returns what `ofMessage` last returned: the access of the run that comes next. */
  ofNextRun(): OwnAccess;
}
