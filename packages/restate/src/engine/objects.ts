import * as restate from "@restatedev/restate-sdk";

/** The names of the virtual objects of an engine. The key of each is the id of a session. */
export interface ObjectNames {
  /** Has the wakes of a session, and sends its calls. */
  wakes: string;
  /** Calls the handler. Restate runs one call of a session at a time. */
  sessions: string;
}

/** A wake, and when it was sent, in milliseconds since 1970. */
export interface WakeMessage {
  sentAt: number;
  /** When to wake the session, in milliseconds from now. Default: at once. */
  afterMs?: number;
}

/** What Restate keeps for a session. A session that is neither at work nor waiting for a time has nothing. */
export type WakeState = {
  /** When the call was sent that waits or is in progress. It is also the call's name. */
  call: number;
  /** Whether a wake has come since then. */
  again: boolean;
  /** The timer of the earliest wake for a time. */
  due: { at: number; id: restate.InvocationId };
};

/** What handlers of the wakes get. */
export type WakesContext = restate.ObjectContext<WakeState>;

/** The handlers of the wakes. */
export type WakesHandlers = {
  /** Sends a call or sets a timer. */
  wake(ctx: WakesContext, wake: WakeMessage): Promise<void>;
  /** A timer's time has come. */
  due(ctx: WakesContext, at: number): Promise<void>;
  /** A call has found no place. */
  comeBack(ctx: WakesContext, end: { call: number; at: number }): Promise<void>;
  /** A call is over. */
  done(ctx: WakesContext, end: { call: number; at: number }): Promise<void>;
  /** Forgets the timer, and a wake that has come during a call. */
  forget(ctx: WakesContext): Promise<void>;
};

/** The handlers of the sessions. */
export type SessionHandlers = {
  /** Calls the handler of a worker. */
  run(ctx: restate.ObjectContext, call: number): Promise<void>;
};

/** The definition of a virtual object, to be bound to an endpoint of Restate's SDK. */
export type ObjectDefinition = restate.VirtualObjectDefinition<string, unknown>;

/** The options of both objects. */
export const OBJECT_OPTIONS: restate.ObjectOptions = {
  // Restate would keep each wake for a day. Its ingress gives every wake an idempotency key.
  journalRetention: 0,
  idempotencyRetention: 0,
  // Pauses grow over all deaths of workers in one call, so they stay short: each is a wait of the user's. By
  // default a call that has failed 70 times waits for a person.
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 1.5,
    maxInterval: 1_000,
    maxAttempts: 1_000_000_000,
    onMaxAttempts: "kill",
  },
};

/** The part of a context that sends. */
export type Sender = Pick<restate.ObjectContext, "key" | "objectSendClient">;

/** Sends a call of the handler for the session whose context it is, after a delay in milliseconds. */
export function sendCall(ctx: Sender, { sessions }: ObjectNames, call: number, delay = 0): void {
  ctx
    .objectSendClient<SessionHandlers>({ name: sessions }, ctx.key)
    .run(call, restate.rpc.sendOpts({ ...(delay > 0 && { delay }) }));
}
