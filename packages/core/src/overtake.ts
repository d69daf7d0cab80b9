import { PawlError } from "./errors.ts";
import type { Leg } from "./leg.ts";
import { closeOpenCalls } from "./session/close.ts";
import { openRun } from "./session/state.ts";

/**
 * Closes questions that a message has overtaken: the run goes on with the message, and may ask again. If an answer is
 * stored at this moment, it is looked at first.
 */
export async function overtake(leg: Leg): Promise<void> {
  const run = openRun(leg.log.state);
  if (run === undefined) return;
  const events = closeOpenCalls(run, "the user wrote a new message instead of answering.");
  try {
    await leg.log.appendAfter(leg.log.state.lastSeq, events);
  } catch (error) {
    if (!PawlError.is(error, "conflict") && !PawlError.is(error, "key_taken")) throw error;
  }
}
