import { canBeRetried, type JsonObject, PawlError } from "@pawl/core";
import type { ViewMessage, ViewState } from "@pawl/core/view";
import { type InputPart, isSameMessage } from "../../request/message-input.ts";
import { CUT, lastKnown, type Named } from "../base/cut-thread.ts";
import type { Begin } from "../base/dialect.ts";
import { agUiMessages } from "./ag-ui-messages.ts";
import { partsIn } from "./ag-ui-words.ts";

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
export async function nothingNew(
  last: JsonObject | undefined,
  all: readonly Named[],
  view: ViewState,
): Promise<Again> {
  const said = view.messages.findLast(({ role }) => role === "user");
  const isUser = last?.role === "user";
  if (isUser && last.id !== said?.id) throw new PawlError("invalid_input", CUT);
  if (isUser && (await isChanged(partsIn(last.content), said))) throw new PawlError("invalid_input", CHANGED);
  const { run } = view;
  const isOver = run !== undefined && !run.open && view.pending.length === 0;
  const hasAll = said !== undefined && lastKnown(all, view) === said.id;
  if (isOver && hasAll && canBeRetried(run)) return { begin: { retry: run.id } };
  return { begin: { connect: true }, isAnswered: isOver && isUser };
}

async function isChanged(sent: readonly InputPart[], said: ViewMessage | undefined): Promise<boolean> {
  return said === undefined || !(await isSameMessage(said, sent));
}

const CHANGED = "A message that was sent cannot be changed. Send a new one.";
