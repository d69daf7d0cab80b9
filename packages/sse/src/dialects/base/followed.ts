import type { RunStart, StoredOf } from "@pawl/core";

/**
 * The runs that a stream follows.
 *
 * - `runId` alone: this run, and that of an agent that takes the conversation over from it without messages
 * - with `messageSeq`: the same for the run that picks up this message
 * - with `again`: this run, and each run that begins when the run before it ends
 */
export type Followed = Pick<RunStart, "runId" | "messageSeq"> & { again?: boolean };

/** Returns the id of the run that the stream follows after a run's end; `undefined` if none exists. */
export function passedOn(
  { runId, messageSeq, again }: Followed,
  { data: { run_id, next } }: StoredOf<"run_ended">,
): string | undefined {
  if (run_id !== runId || next === undefined) return undefined;
  const passed =
    again === true ||
    next.messages.length === 0 ||
    (messageSeq !== undefined && next.messages.includes(messageSeq));
  return passed ? next.run_id : undefined;
}
