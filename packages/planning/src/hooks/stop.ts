import { type StopReason, toJson } from "@pawl/core";
import { EVENTS, type StoppedEvent } from "../record/events.ts";
import type { Here, Work } from "./work.ts";

/** Stores the structured error with which planning ends the run, and returns the run's stop reason. */
export async function stopRun<Deps>(
  { stopMessage, report }: Work<Deps>,
  { context, record }: Here<Deps>,
  stopped: Omit<StoppedEvent, "run_id">,
): Promise<{ stop: StopReason }> {
  // After a crash, the stored message counts.
  const said = record.stopped ?? { ...stopped, message: messageFor() };
  const data: StoppedEvent = { run_id: context.runId, ...said };
  await context.append({
    type: EVENTS.stopped,
    data: toJson(data),
    key: `planning:${context.runId}:stopped`,
  });
  return { stop: { type: "blocked", message: said.message } };

  function messageFor(): string {
    try {
      const words: unknown = stopMessage?.(stopped);
      return typeof words === "string" ? words : stopped.message;
    } catch (error) {
      report(error, context);
      return stopped.message;
    }
  }
}
