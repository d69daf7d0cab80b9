import { type ApiError, errorOfStatus } from "./api-error.ts";
import type { Fault, Reply } from "./reply.ts";
import { sleep } from "./sleep.ts";

/** The next step of a streamed answer: an event, or a way to break the stream. */
export type Step<E> = { event: E } | Break;

type Break = { error: ApiError } | { cut: "lost" | "ended" } | { stall: true };

/** Returns an error with this status, and with the API's defaults for everything not given. */
export type ErrorOfStatus = typeof errorOfStatus;

/** Returns the error of an answer that fails before it streams anything. `retryAfter` is in seconds. */
export function earlyError(
  fault: Fault | undefined,
  errorOf: ErrorOfStatus = errorOfStatus,
): (ApiError & { retryAfter?: number }) | undefined {
  if (fault === undefined || !("status" in fault)) return undefined;
  const error = errorOf(fault.status, fault);
  return fault.retryAfter === undefined ? error : { ...error, retryAfter: fault.retryAfter };
}

/**
 * Yields the steps of an answer at the reply's pace: its events and, if the reply has a fault, a last step
 * that breaks the stream.
 */
export async function* playEvents<E>(
  reply: Reply,
  events: readonly E[],
  signal: AbortSignal,
  errorOf: ErrorOfStatus = errorOfStatus,
): AsyncGenerator<Step<E>, void, undefined> {
  const end = breakOf(reply.fault, errorOf);
  for (const event of events.slice(0, end?.after)) {
    if (reply.delayPerEventMs !== undefined) await sleep(reply.delayPerEventMs, signal);
    yield { event };
  }
  if (end !== undefined) yield end.step;
}

function breakOf(
  fault: Fault | undefined,
  errorOf: ErrorOfStatus,
): { after: number; step: Break } | undefined {
  if (fault === undefined || "status" in fault) return undefined;
  if ("cut" in fault) return { after: fault.cut, step: { cut: fault.end === true ? "ended" : "lost" } };
  if ("stall" in fault) return { after: fault.stall, step: { stall: true } };
  const { midStream: type, afterEvents = 3 } = fault;
  const error =
    type === "overloaded" ? errorOf(529) : errorOf(type === "overloaded_error" ? 529 : 500, { type });
  return { after: afterEvents, step: { error } };
}
