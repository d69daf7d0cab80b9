import { failureCause, newCircuit } from "@pawl/core/model";
import { McpFailure } from "./failure.ts";

/** When a server that keeps failing gets no requests for a while. */
export interface BreakerOptions {
  /** The number of failures in a row that opens the circuit. Default: 5. */
  failures?: number;
  /** How long the circuit stays open, in milliseconds. Default: 30,000. */
  coolDownMs?: number;
}

/** Lets requests through while a server answers, and one at a time after it has failed too often. */
export type Breaker = <T>(work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>;

/**
 * Makes a breaker for one server. Failures count if the server could not be reached or did not answer; an
 * error that it returns closes the circuit, because it is there. A request that was aborted has not failed.
 * While the circuit is open, requests fail at once as `mcp_circuit_open`. After the pause one trial is let
 * through.
 */
export function breaker(
  server: string,
  { failures = 5, coolDownMs = 30_000 }: BreakerOptions,
  now: () => number,
): Breaker {
  const circuit = newCircuit({ failures, coolDownMs, now, refusal: (leftMs) => isOpen(server, leftMs) });
  return async (work, signal) => {
    const call = circuit.begin();
    try {
      const result = await work();
      call.succeeded();
      return result;
    } catch (error) {
      if (isDown(error)) call.failed(1, signal);
      else if (failureCause(signal) !== "aborted") call.succeeded();
      throw error;
    } finally {
      call.over();
    }
  };
}

/** Whether an error means that the server could not be reached, or did not answer. */
function isDown(error: unknown): boolean {
  if (!(error instanceof McpFailure)) return false;
  return error.code === "mcp_unreachable" || error.code === "mcp_outcome_unknown";
}

function isOpen(server: string, leftMs: number): McpFailure {
  const seconds = Math.ceil(leftMs / 1000);
  const message = `"${server}" has failed too often, so it gets no requests for ${seconds} more seconds.`;
  return new McpFailure("mcp_circuit_open", "not_sent", message);
}
