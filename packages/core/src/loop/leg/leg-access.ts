import type { JsonObject } from "../../base/json.ts";
import type { StoredOf } from "../../log/event.ts";

/** The caller of a run, the credentials that this process has for it, and the dependencies made for both. */
export interface Access {
  /** What the application says about the user. */
  readonly caller: JsonObject;
  /** The caller's credentials; `undefined` if this process has none. */
  readonly credentials: unknown;
  /** Calls the runtime's `deps` option for this caller. Later calls return the same promise. */
  makeDeps(): Promise<unknown>;
  /**
   * Whether the dependencies are available: `deps` returned a value, or its promise has resolved. `false`
   * before `makeDeps` was called.
   */
  readonly hasDeps: boolean;
}

/** The caller for whom the leg works, and how to change to another one. */
export interface LegAccess extends Access {
  /** The value that the runtime's `deps` option returned; `undefined` until `makeDeps` has settled. */
  readonly deps: unknown;
  /**
   * Whether an answer has come from another caller, or with other credentials. Until `renew()` is called, the
   * leg has the caller, credentials and dependencies from before that answer.
   */
  readonly hasNewCaller: boolean;
  /**
   * Gives the leg the caller, credentials, dependencies and tools of the newest answer. Rejects with the
   * error of `deps`, or with `tools_failed`.
   */
  renew(): Promise<void>;
  /** Returns the access of the run that a queued message starts. It contains nothing of this leg's caller. */
  accessOf(message: StoredOf<"user_message">): Promise<Access>;
  /** Replaces texts of the credentials in a value that will be stored or shown. */
  hide<T>(value: T): T;
  /** Returns a copy of an error without texts of the credentials. Returns the error itself if it has none. */
  hideInError(error: unknown): unknown;
}
