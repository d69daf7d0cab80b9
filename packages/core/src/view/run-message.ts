import type { StoredOf } from "../log/event.ts";
import type { ViewMessage, ViewRun, ViewState } from "./view.ts";

/**
 * Returns the id of the assistant message that a run is writing.
 *
 * @example
 * ```ts
 * import { newView, runMessageId } from "@pawl/core/view";
 *
 * const view = newView();
 * const writing = view.messages.find(({ id }) => id === runMessageId(view.run));
 * console.log(writing); // undefined: no run
 * ```
 */
export function runMessageId(run: Pick<ViewRun, "id" | "since" | "continues"> | undefined): string {
  if (run?.continues !== undefined && run.since === undefined) return run.continues;
  const id = `run:${run?.id ?? ""}`;
  return run?.since === undefined ? id : `${id}:${run.since}`;
}

/** Inserts the assistant message of a run before all messages that were queued after the run started. */
export function withRunMessage({ messages, run }: ViewState, message: ViewMessage): ViewMessage[] {
  const firstQueued = messages.findIndex(({ queued, seq }) => queued && seq > (run?.seq ?? 0));
  return messages.toSpliced(firstQueued === -1 ? messages.length : firstQueued, 0, message);
}

/**
 * Marks the queued messages that a request includes as read. If the run has already written text, its later
 * text becomes a new message. Also takes the role that answers.
 */
export function markMessagesRead(view: ViewState, { seq, data }: StoredOf<"llm_request">): ViewState {
  const run = view.run && { ...view.run, ...(data.role && { role: data.role }) };
  const messages = withoutQueue(view.messages, data.prompt.upto_seq);
  if (!run || messages === view.messages) return { ...view, run };
  const hasWritten = messages.some(({ id }) => id === runMessageId(run));
  return { ...view, messages, run: hasWritten ? { ...run, since: seq } : run };
}

/** Returns the messages with those up to the event `seq`, which a run has picked up, no longer queued. */
export function withoutQueue(messages: ViewMessage[], uptoSeq: number): ViewMessage[] {
  const isRead = ({ queued, seq }: ViewMessage) => queued && seq <= uptoSeq;
  if (!messages.some(isRead)) return messages;
  return messages.map((message) => {
    if (!isRead(message)) return message;
    const { queued: _, ...rest } = message;
    return rest;
  });
}
