import { type Circuit, failureCause, newCircuit } from "@pawl/core/model";
import { McpFailure } from "./failure.ts";

/** When a server that keeps failing gets no requests for a while. */
export interface BreakerOptions {
  /** The number of failures in a row that opens the circuit. Default: 5. */
  failures?: number;
  /** How long the circuit stays open, in milliseconds. Default: 30,000. */
  coolDownMs?: number;
}

/** For whom a request is made, and over what. */
export interface Request {
  userId: string;
  signal: AbortSignal | undefined;
  /** Whether all users share the connection, so that nothing of the user's is needed to open it. */
  isShared: boolean;
}

/** Lets requests through while a server answers, and a trial of each user after it has failed too often. */
export type Breaker = <T>(request: Request, work: () => Promise<T>) => Promise<T>;

/** The number of users whose failures are kept. */
const MOST_USERS = 1_000;

/**
 * Makes a breaker for one server. A request has failed if the server could not be reached or did not answer;
 * an error that it returns closes the circuit, because it is there. A request that was aborted says nothing.
 * While a circuit is open, requests fail at once as `mcp_circuit_open`.
 *
 * Each user has a circuit. Another one is for all users: in it, a row of failures of one user counts as one,
 * because the user's input or token may have caused them. It takes at least two failures. Those of a server
 * that is not there all count.
 */
export function breaker(
  server: string,
  { failures = 5, coolDownMs = 30_000 }: BreakerOptions,
  now: () => number,
): Breaker {
  const circuit = (least: number, whose: string) =>
    newCircuit({
      failures: Math.max(failures, least),
      coolDownMs,
      now,
      refusal: (leftMs) => isOpen(server, whose, leftMs),
    });
  const ofAll = circuit(2, "has failed too often, so it gets no requests");
  const ofUsers = new Map<string, Circuit>();
  /** The user whose failure was the last one that counted for all. */
  let lastFailed: string | undefined;

  function ofUser(userId: string): Circuit {
    const known =
      ofUsers.get(userId) ?? circuit(1, "has failed this user too often, so it gets none of their requests");
    ofUsers.delete(userId);
    ofUsers.set(userId, known);
    const [oldest] = ofUsers.keys();
    if (ofUsers.size > MOST_USERS && oldest !== undefined) ofUsers.delete(oldest);
    return known;
  }

  /** Begins a request in both circuits. */
  function begin({ userId, signal, isShared }: Request) {
    const own = ofUser(userId).begin();
    try {
      const shared = ofAll.begin(userId);
      return {
        succeeded: () => {
          own.succeeded();
          shared.succeeded();
          lastFailed = undefined;
        },
        failed: (failure: McpFailure) => {
          own.failed(1, signal);
          if (failureCause(signal) === "aborted") return;
          const isOfAll = failure.isOffline || (isShared && failure.code === "mcp_unreachable");
          shared.failed(isOfAll || lastFailed !== userId ? 1 : 0, signal);
          lastFailed = userId;
        },
        over: () => {
          own.over();
          shared.over();
        },
      };
    } catch (error) {
      own.over();
      throw error;
    }
  }

  return async (request, work) => {
    const call = begin(request);
    try {
      const result = await work();
      call.succeeded();
      return result;
    } catch (error) {
      if (isDown(error)) call.failed(error);
      else if (failureCause(request.signal) !== "aborted") call.succeeded();
      throw error;
    } finally {
      call.over();
    }
  };
}

/** Whether an error means that the server could not be reached, or did not answer. */
function isDown(error: unknown): error is McpFailure {
  if (!(error instanceof McpFailure)) return false;
  return error.code === "mcp_unreachable" || error.code === "mcp_outcome_unknown";
}

function isOpen(server: string, why: string, leftMs: number): McpFailure {
  const message = `"${server}" ${why} for ${Math.ceil(leftMs / 1000)} more seconds.`;
  return new McpFailure("mcp_circuit_open", "not_sent", message);
}
