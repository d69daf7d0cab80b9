import { canBeRetried, type JsonObject, PawlError } from "@pawl/core";
import type { ViewMessage, ViewState } from "@pawl/core/view";
import { hasFilesOf, type InputPart, textOfInput } from "../../request/message-input.ts";
import type { Begin } from "../base/dialect.ts";
import { agUiMessages } from "./ag-ui-messages.ts";
import { partsIn } from "./ag-ui-words.ts";

/** A message of the client's thread. Only its id is compared with the session's messages. */
interface Named {
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

/** Returns whether the client's thread lacks a part of the answer to the user's last message. */
export function lacksEnd(before: readonly Named[], view: ViewState): boolean {
  if (lastKnown(before, view) === undefined) return false;
  const ids = new Set(before.map(({ id }) => id));
  const last = view.messages.findLastIndex(({ role }) => role === "user");
  return agUiMessages({ ...view, messages: view.messages.slice(last) }).some(
    ({ id, role }) => role === "assistant" && !ids.has(id),
  );
}

/** The outcome of a request without a new message. */
export interface Again {
  begin: Begin;
  /**
   * Whether the user's last message has a complete answer that the client lacks: it lost the response, or
   * asks for another answer.
   */
  isAnswered?: boolean;
}

/**
 * Decides what a request without a new message begins. Retries the last run if it failed and the client has
 * the whole thread. Otherwise the thread is sent as it is.
 *
 * @throws PawlError `invalid_input` if the client has changed the user's last message or cut the thread.
 */
export function nothingNew(last: JsonObject | undefined, all: readonly Named[], view: ViewState): Again {
  const said = view.messages.findLast(({ role }) => role === "user");
  const isUser = last?.role === "user";
  if (isUser && last.id !== said?.id) throw new PawlError("invalid_input", CUT);
  if (isUser && isChanged(partsIn(last.content), said)) throw new PawlError("invalid_input", CHANGED);
  const { run } = view;
  const isOver = run !== undefined && !run.open && view.pending.length === 0;
  const hasAll = said !== undefined && lastKnown(all, view) === said.id;
  if (isOver && hasAll && canBeRetried(run)) return { begin: { retry: run.id } };
  return { begin: { connect: true }, isAnswered: isOver && isUser };
}

function isChanged(sent: readonly InputPart[], said: ViewMessage | undefined): boolean {
  return said === undefined || textOfInput(sent) !== said.text || !hasFilesOf(said, sent);
}

/** Returns the id of the last user message of the session among these messages. */
function lastKnown(messages: readonly Named[], view: ViewState): string | undefined {
  const known = new Set(view.messages.flatMap(({ id, role }) => (role === "user" ? [id] : [])));
  const last = messages.findLast(({ id }) => typeof id === "string" && known.has(id));
  return last?.id as string | undefined;
}

const CUT =
  "The thread continues after the messages of this request. Earlier messages cannot be changed or answered again: load the thread.";

const CHANGED = "A message that was sent cannot be changed. Send a new one.";
