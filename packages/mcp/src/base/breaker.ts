import { failureCause, userCircuits } from "@pawl/core/model";
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

/** Why requests are refused, by whose circuit is open. */
const WHY = {
  all: "has failed too often, so it gets no requests",
  user: "has failed this user too often, so it gets none of their requests",
} as const;

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
  const circuits = userCircuits({
    failures,
    coolDownMs,
    now,
    refused: (leftMs, whose) => isOpen(server, WHY[whose], leftMs),
  });

  return async (request, work) => {
    const { userId, signal, isShared } = request;
    const call = circuits.begin(userId);
    try {
      const result = await work();
      call.succeeded();
      return result;
    } catch (error) {
      if (isDown(error)) {
        const isOfAll = error.isOffline || (isShared && error.code === "mcp_unreachable");
        call.failed(1, { signal, isShared: isOfAll });
      } else if (failureCause(signal) !== "aborted") call.succeeded();
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
