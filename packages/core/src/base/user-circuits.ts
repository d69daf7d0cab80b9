import { type Circuit, type CircuitCall, type CircuitOptions, failureCause, newCircuit } from "./circuit.ts";

/** When circuits open, and what refused calls throw. */
export interface UserCircuitsOptions extends Omit<CircuitOptions, "refusal"> {
  /**
   * Creates the error for a call that is refused. `leftMs` is the time until the next trial, in milliseconds.
   * `whose` names the open circuit: that of all users, or the caller's own.
   */
  refused(leftMs: number, whose: "all" | "user"): Error;
}

/** A call that both circuits let through. Its methods report how the call has ended. */
export interface UserCall extends Pick<CircuitCall, "succeeded" | "over"> {
  /**
   * Reports a failure, see `CircuitCall.failed()`. `isShared` means that the user cannot have caused it, e.g.
   * because nothing listens at the address.
   */
  failed(weight: number, options?: { signal?: AbortSignal | undefined; isShared?: boolean }): void;
}

/** Stops calls of a service that keeps failing: for one user, or for all. */
export interface UserCircuits {
  /**
   * Begins a user's call. Calls without a user share one circuit.
   *
   * @throws the error of `refused` if a circuit is open
   */
  begin(userId?: string): UserCall;
}

/** The number of users whose failures are kept. */
const MOST_USERS = 1_000;

/**
 * Creates a circuit for each user of a service, and one that all users share. In the shared circuit,
 * consecutive failures of the same user count as one, because that user's input or token may have caused
 * them. It opens after two failures at the earliest, or at once after a failure with the weight `Infinity`.
 * The state is in memory, for the last 1,000 users.
 *
 * @example
 * ```ts
 * import { userCircuits } from "@pawl/core/model";
 *
 * const circuits = userCircuits({
 *   failures: 2,
 *   coolDownMs: 30_000,
 *   now: Date.now,
 *   refused: (_, whose) => new Error(`Open for ${whose}.`),
 * });
 * for (const user of ["mallory", "mallory", "mallory", "ada"]) {
 *   try {
 *     const call = circuits.begin(user);
 *     if (user === "mallory") call.failed(1);
 *     call.over();
 *     console.log(user); // mallory, mallory, ada
 *   } catch (error) {
 *     console.log((error as Error).message); // Open for user.
 *   }
 * }
 * ```
 */
export function userCircuits({ failures, refused, ...options }: UserCircuitsOptions): UserCircuits {
  const circuit = (least: number, whose: "all" | "user") =>
    newCircuit({
      ...options,
      failures: Math.max(failures, least),
      refusal: (leftMs) => refused(leftMs, whose),
    });
  const ofAll = circuit(2, "all");
  const ofUsers = new Map<string, Circuit>();
  /** The user whose call failed last. `undefined` after a success. */
  let lastFailed: string | undefined;

  function ofUser(userId: string): Circuit {
    const known = ofUsers.get(userId) ?? circuit(1, userId === "" ? "all" : "user");
    ofUsers.delete(userId);
    ofUsers.set(userId, known);
    const [oldest] = ofUsers.keys();
    if (ofUsers.size > MOST_USERS && oldest !== undefined) ofUsers.delete(oldest);
    return known;
  }

  /** Begins a call in the shared circuit. If that refuses it, ends the call in the user's own. */
  function beginShared(own: ReturnType<Circuit["begin"]>, userId: string) {
    try {
      return ofAll.begin(userId);
    } catch (error) {
      own.over();
      throw error;
    }
  }

  return {
    begin: (userId = "") => {
      const own = ofUser(userId).begin();
      const shared = beginShared(own, userId);
      return {
        succeeded: () => {
          own.succeeded();
          shared.succeeded();
          lastFailed = undefined;
        },
        failed: (weight, { signal, isShared = false } = {}) => {
          own.failed(weight, signal);
          if (weight === 0 || failureCause(signal) === "aborted") return;
          const counts = isShared || lastFailed !== userId || weight === Number.POSITIVE_INFINITY;
          if (counts) shared.failed(weight, signal);
          lastFailed = userId;
        },
        over: () => {
          own.over();
          shared.over();
        },
      };
    },
  };
}
