import { setTimeout as sleep } from "node:timers/promises";
import { type ApiError, errorOfStatus } from "./api-error.ts";
import type { Fault, Reply } from "./reply.ts";
import type { WireEvent } from "./reply-events.ts";

/** What happens next in an answer: an event, or the way it breaks. */
export type Step = { event: WireEvent } | { error: ApiError } | { cut: "lost" | "ended" } | { stall: true };

/** The error of an answer that fails before anything is streamed. `retryAfter` is in seconds. */
export function earlyError(fault: Fault | undefined): (ApiError & { retryAfter?: number }) | undefined {
  if (fault === undefined || !("status" in fault)) return undefined;
  const error = errorOfStatus(fault.status, fault);
  return fault.retryAfter === undefined ? error : { ...error, retryAfter: fault.retryAfter };
}

/** The events of an answer at the reply's pace, up to where its fault breaks it. */
export async function* playEvents(
  reply: Reply,
  events: readonly WireEvent[],
  signal: AbortSignal,
): AsyncGenerator<Step, void, undefined> {
  const end = breakOf(reply.fault);
  for (const event of events.slice(0, end?.after)) {
    if (reply.delayPerEventMs !== undefined) await sleep(reply.delayPerEventMs, undefined, { signal });
    yield { event };
  }
  if (end !== undefined) yield end.step;
}

function breakOf(fault: Fault | undefined): { after: number; step: Step } | undefined {
  if (fault === undefined || "status" in fault) return undefined;
  if ("cut" in fault) return { after: fault.cut, step: { cut: fault.end === true ? "ended" : "lost" } };
  if ("stall" in fault) return { after: fault.stall, step: { stall: true } };
  const type = fault.midStream === "overloaded" ? "overloaded_error" : fault.midStream;
  const status = type === "overloaded_error" ? 529 : 500;
  return { after: fault.afterEvents ?? 3, step: { error: errorOfStatus(status, { type }) } };
}
