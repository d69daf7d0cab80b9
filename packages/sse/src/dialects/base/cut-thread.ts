import { PawlError } from "@pawl/core";
import type { ViewState } from "@pawl/core/view";

/** A message of the client's thread. Only its id is compared with the session's messages. */
export interface Named {
  id?: unknown;
}

/**
 * Refuses a new message if the client's thread lacks the end of the session: the model would read messages
 * that the page does not show. This happens if a client edits a message or regenerates an answer, or if a
 * second tab is out of date. A client that sends none of the session's messages is not refused.
 *
 * @throws PawlError `invalid_input` if the thread lacks the end of the session.
 */
export function checkNotCut(before: readonly Named[], view: ViewState): void {
  const said = view.messages.filter(({ role }) => role === "user");
  const last = lastKnown(before, view);
  if (last !== undefined && last !== said.at(-1)?.id) throw new PawlError("invalid_input", CUT);
}

/** Returns the id of the last user message of the session among these messages. */
export function lastKnown(messages: readonly Named[], view: ViewState): string | undefined {
  const known = new Set(view.messages.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const last = messages.findLast(({ id }) => typeof id === "string" && known.has(id));
  return last?.id as string | undefined;
}

export const CUT =
  "The thread continues after the messages of this request. Earlier messages cannot be changed or answered again: load the thread.";
