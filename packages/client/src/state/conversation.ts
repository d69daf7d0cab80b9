import type { SessionEvent } from "@pawl/core";
import { newView, reduceView, type ViewState, waitsForTime } from "@pawl/core/view";
import { Refused } from "../wire/request.ts";
import type { Wire } from "../wire/wire.ts";
import { type AgentFailure, type Facts, isSubmitting } from "./agent-state.ts";
import type { FromClient } from "./from-client.ts";
import { restartBefore, type Standing, standingAt, step } from "./standing.ts";

/** The dependencies of a conversation. */
export interface ConversationOptions extends FromClient<SessionEvent> {
  wire: Wire;
  /** How many messages a page has, at least. */
  pageSize: number;
  /**
   * Waits until an idle conversation may have a stream. Resolves to a signal that aborts when it has to close
   * it. `undefined` outside of a page.
   */
  place: ((talk: Conversation, signal: AbortSignal) => Promise<AbortSignal>) | undefined;
}

/** One opened session and its reader. Every change replaces `facts`; the other fields are bookkeeping. */
export interface Conversation extends ConversationOptions {
  facts: Facts;
  /** How far the view has been read: the last event, and the characters of each block after it. */
  standing: Standing;
  /** Whether `facts.view` has the session's last messages. If not, they are requested first. */
  loaded: boolean;
  /** Redactions read so far. They also apply to older messages that the server read before them. */
  redactions: SessionEvent[];
  /** Aborted when the conversation is closed. */
  life: AbortController;
  /** The active reader. A new one replaces it. */
  reader: AbortController;
  /** The last submission, until it is accepted or refused. */
  posting: Promise<unknown>;
}

/** Creates a conversation without a reader. */
export function newConversation(options: ConversationOptions, sessionId: string | undefined): Conversation {
  const facts: Facts = {
    sessionId,
    view: newView(),
    sending: undefined,
    answering: new Set(),
    connection: "offline",
    error: undefined,
    before: null,
    loadingOlder: false,
    olderError: undefined,
  };
  return {
    ...options,
    facts,
    standing: standingAt(0),
    loaded: sessionId === undefined,
    redactions: [],
    life: new AbortController(),
    reader: new AbortController(),
    posting: Promise.resolve(),
  };
}

/** Changes some facts, and reports the change. */
export function update(talk: Conversation, change: Partial<Facts>, when: "now" | "soon" = "now"): void {
  talk.facts = { ...talk.facts, ...change };
  talk.onChange(when);
}

/** Replaces the view. Messages and answers that the view contains are no longer in flight. */
export function updateView(talk: Conversation, view: ViewState, when: "now" | "soon"): void {
  const { sending, answering } = talk.facts;
  const waiting = [...answering].filter((callId) => view.pending.some((asked) => asked.callId === callId));
  const facts = { ...talk.facts, view, answering: new Set(waiting) };
  const isSent = sending !== undefined && !isSubmitting({ ...facts, answering: new Set() });
  update(talk, isSent ? { ...facts, sending: undefined } : facts, when);
}

/**
 * Folds an event into the view. Ignores an event that the view already contains.
 *
 * @throws Gap if events or text before this event are missing.
 */
export function take(talk: Conversation, event: SessionEvent): void {
  const restart = restartBefore(talk.standing, event);
  if (restart !== undefined) take(talk, restart);
  const { view, sessionId } = talk.facts;
  const { news, ...standing } = step(talk.standing, event);
  if (news === undefined) return;
  talk.standing = standing;
  if (news.type === "redaction") talk.redactions.push(news);
  // A client that has read the session from its first event needs no snapshot.
  if ("seq" in news && news.seq === 1) talk.loaded = true;
  if ("seq" in news && sessionId === undefined) talk.facts = { ...talk.facts, sessionId: news.sessionId };
  updateView(talk, reduceView(view, news), isOver(news) ? "now" : "soon");
  talk.onEvent(news);
}

/** Returns whether an event settles the run: nothing more happens without the user. */
export function isOver(event: SessionEvent): boolean {
  return event.type === "run_ended" || (event.type === "run_suspended" && !waitsForTime(event.data));
}

/** Converts any error of a request to the failure that is shown. */
export function failureOf(error: unknown): AgentFailure {
  if (error instanceof Refused) return { code: error.code, message: error.message };
  return {
    code: "network",
    message: "The server cannot be reached. Please check your connection and try again.",
    cause: error,
  };
}

/** Shows why older messages could not be loaded. */
export function failOlder(talk: Conversation, cause: unknown): void {
  const error = failureOf(cause);
  update(talk, { error, olderError: error });
}
