import { McpFailure } from "./failure.ts";

/** When a server that keeps failing gets no requests for a while. */
export interface BreakerOptions {
  /** The number of failures in a row that opens the circuit. Default: 5. */
  failures?: number;
  /** How long the circuit stays open, in milliseconds. Default: 30,000. */
  coolDownMs?: number;
}

/** Lets requests through while a server answers, and one at a time after it has failed too often. */
export type Breaker = <T>(work: () => Promise<T>) => Promise<T>;

// Core's `withCircuitBreaker` wraps a model. This one judges by whether a request had an answer.
/**
 * Makes a breaker for one server. Failures count if the server could not be reached or did not answer; an
 * error that it returns closes the circuit, because it is there. While the circuit is open, requests fail at
 * once as `mcp_circuit_open`. After the pause one trial is let through.
 */
export function breaker(
  server: string,
  { failures = 5, coolDownMs = 30_000 }: BreakerOptions,
  now: () => number,
): Breaker {
  let inARow = 0;
  let until: number | undefined;
  let trying = false;
  return async (work) => {
    const isTrial = until !== undefined;
    if (until !== undefined && (trying || now() < until)) throw isOpen(server, Math.max(0, until - now()));
    trying = isTrial;
    try {
      const result = await work();
      inARow = 0;
      until = undefined;
      return result;
    } catch (error) {
      const isDown =
        error instanceof McpFailure &&
        (error.code === "mcp_unreachable" || error.code === "mcp_outcome_unknown");
      if (!isDown) {
        inARow = 0;
        until = undefined;
      } else {
        inARow += 1;
        if (inARow >= failures) until = now() + coolDownMs;
      }
      throw error;
    } finally {
      if (isTrial) trying = false;
    }
  };
}

function isOpen(server: string, leftMs: number): McpFailure {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `"${server}" has failed too often, so it gets no requests for ${seconds} more seconds.`;
  return new McpFailure("mcp_circuit_open", "not_sent", message);
}
