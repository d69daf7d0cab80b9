import type { StoredEvent, StoredOf } from "../../log/event.ts";
import type { Session } from "../../log/session-row.ts";
import type { Leg } from "../../loop/leg/leg.ts";
import type { Access } from "../../loop/leg/leg-access.ts";
import type { RunState } from "../../session/state.ts";

/** The access of a caller, with the dependencies that were made for it. */
export interface OwnAccess extends Access {
  /** The value that the runtime's `deps` returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
}

/** The credentials that this process receives for a session while it holds the session's lease. */
export interface SessionCredentials {
  /** Replaces the texts of all received credentials in a value that will be stored or shown. */
  hide: Leg["access"]["hide"];
  /**
   * Adds the credentials of a request. Their texts are hidden from now on. `stored` resolves to the `seq` of
   * the request's message or first answer. It resolves to `undefined` if the request was not stored.
   */
  take(credentials: unknown, stored: Promise<number | undefined>): void;
  /**
   * Returns the credentials that were sent with the event `seq`; `undefined` if this process did not receive
   * them. Waits up to a second for requests that are being stored.
   */
  of(seq: number): Promise<unknown>;
  /** Returns whether no credentials were received. */
  isEmpty(): boolean;
  /** Stops receiving credentials, because the lease is released. */
  close(): void;
}

/** The parts of a leg that `Callers.renew()` uses. */
export interface CallersLeg extends Pick<Leg, "life" | "log"> {
  readonly session: Session;
  readonly access: OwnAccess;
}

/**
 * The callers for whom this process runs a session while it holds the lease: those of the open run, of later
 * answers, and of queued messages. Each access has only the credentials of its own request.
 */
export interface Callers extends SessionCredentials {
  /** Returns the access of the open run. Without one, returns that of the request that opened the session. */
  ofRun(run: RunState | undefined): OwnAccess;
  /**
   * Remembers a stored answer that has a caller or credentials, and ignores other events. On `run_started`,
   * forgets the answers of the run before.
   */
  note(event: StoredEvent): void;
  /** Whether an answer with a caller or credentials is remembered. */
  readonly hasNew: boolean;
  /** Forgets the remembered answers. Call it before a new leg is made, which begins with the last caller. */
  forget(): void;
  /**
   * Calls `use` with the access that applies after the remembered answers, unless the leg already has it.
   * Then forgets those answers. Rejects with the error of `deps` or of `use`, and keeps them.
   */
  renew(leg: CallersLeg, use: (access: OwnAccess) => Promise<void>): Promise<void>;
  /** Makes the access of the run that a queued message starts. Returns the same one for the same message. */
  ofMessage(message: StoredOf<"user_message">): Promise<OwnAccess>;
  /**
   * Returns the access that `ofMessage` made last, for the run that starts next. Default: an empty access.
   */
  ofNextRun(): OwnAccess;
}
