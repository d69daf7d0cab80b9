import type { FromClient } from "../state/from-client.ts";
import { eitherSignal } from "../wire/either-signal.ts";
import type { AspEvent } from "./asp-event.ts";
import type { AspFacts, AspFailure } from "./asp-state.ts";
import { type AspView, closed, newAspView, reduceAsp } from "./asp-view.ts";
import { type AspBody, type AspWire, aspFailure } from "./asp-wire.ts";

/** The dependencies of a conversation. */
export interface AspTalkOptions extends FromClient<AspEvent> {
  wire: AspWire;
}

/** A request that begins or continues a run, and what it shows. */
export interface AspRequest {
  body: AspBody;
  /** Returns the view while the request is in flight. If the server refuses it, the earlier view is back. */
  show(view: AspView): AspView;
  /** Fields of the failure if the server refuses it. */
  about: Pick<AspFailure, "text" | "callId">;
}

/** One opened session. Every change replaces `facts`; the other fields are bookkeeping. */
export interface AspTalk extends AspTalkOptions {
  facts: AspFacts;
  /** Aborted when the conversation is closed. */
  life: AbortController;
  /** Aborted when the stream that is read is left. */
  reader: AbortController;
  /** The last request, until it is accepted or refused. */
  posting: Promise<unknown>;
  /** The last request, if it was not accepted. */
  refused: AspRequest | undefined;
}

/** Creates a conversation that reads nothing yet. */
export function newTalk(options: AspTalkOptions, sessionId: string | undefined): AspTalk {
  const facts = { view: newAspView(), sessionId, error: undefined };
  return {
    ...options,
    facts: { ...facts, submitting: false, reading: false, loading: false },
    life: new AbortController(),
    reader: new AbortController(),
    posting: Promise.resolve(),
    refused: undefined,
  };
}

/** Changes some facts, and notifies the subscribers. */
export function change(talk: AspTalk, facts: Partial<AspFacts>, when: "now" | "soon" = "now"): void {
  talk.facts = { ...talk.facts, ...facts };
  talk.onChange(when);
}

/** Returns a signal that aborts when the conversation is closed or the stream is left. */
export function newReader(talk: AspTalk): AbortSignal {
  talk.reader = new AbortController();
  return eitherSignal(talk.life.signal, talk.reader.signal);
}

/** Closes the stream that is read, by which a server may notice that the run is not wanted any more. */
export function leaveStream(talk: AspTalk): void {
  if (!talk.facts.reading) return;
  talk.reader.abort();
  const view = reduceAsp(talk.facts.view, { type: "message_stop", stop_reason: "aborted" });
  change(talk, { view, reading: false });
}

/** Shows why reading has failed, unless it was left. */
export function fail(talk: AspTalk, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  change(talk, { view: closed(talk.facts.view), reading: false, loading: false, error: aspFailure(error) });
}
