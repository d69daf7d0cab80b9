import type { SessionEvent } from "@pawl/core";
import { newView, reduceView, type ViewState } from "@pawl/core/view";
import { Refused, type Wire } from "../wire/wire.ts";
import { type AgentFailure, type Facts, isSubmitting } from "./agent-state.ts";
import { type Standing, standingAt, step } from "./standing.ts";

/** What a conversation needs from outside. */
export interface ConversationOptions {
  wire: Wire;
  /** Makes ids of messages. */
  newId(): string;
  /**
   * After this many milliseconds without a byte the connection is taken for dead; `undefined`: after three
   * heartbeats.
   */
  silenceMs: number | undefined;
  onEvent(event: SessionEvent): void;
  /** The facts have changed: `now` where it must be seen at once, `soon` where the next frame will do. */
  onChange(when: "now" | "soon"): void;
}

/** One opened session, and who reads it. `facts` is replaced, the rest is bookkeeping. */
export interface Conversation extends ConversationOptions {
  facts: Facts;
  /** Where the view is in the session, to the character. */
  standing: Standing;
  /** Whether `facts.view` is the session up to its cursor; else the server has to be asked for it first. */
  loaded: boolean;
  /** Fires when the conversation is closed. */
  life: AbortController;
  /** The one reader. A new one takes the place of the old. */
  reader: AbortController;
  /** The last submission, until it is accepted or refused. */
  posting: Promise<unknown>;
}

/** A conversation that nobody reads yet. */
export function newConversation(options: ConversationOptions, sessionId: string | undefined): Conversation {
  const facts: Facts = {
    sessionId,
    view: newView(),
    sending: undefined,
    answering: new Set(),
    connection: "offline",
    error: undefined,
  };
  return {
    ...options,
    facts,
    standing: standingAt(0),
    loaded: sessionId === undefined,
    life: new AbortController(),
    reader: new AbortController(),
    posting: Promise.resolve(),
  };
}

/** Changes facts. */
export function update(talk: Conversation, change: Partial<Facts>, when: "now" | "soon" = "now"): void {
  talk.facts = { ...talk.facts, ...change };
  talk.onChange(when);
}

/** Replaces the view; what was on its way and has arrived is no longer on its way. */
export function updateView(talk: Conversation, view: ViewState, when: "now" | "soon"): void {
  const { sending, answering } = talk.facts;
  const waiting = [...answering].filter((callId) => view.pending.some((asked) => asked.callId === callId));
  const facts = { ...talk.facts, view, answering: new Set(waiting) };
  const isSent = sending !== undefined && !isSubmitting({ ...facts, answering: new Set() });
  update(talk, isSent ? { ...facts, sending: undefined } : facts, when);
}

/**
 * Folds an event in; what is known already changes nothing. Throws a `Gap` if something before it is missing.
 */
export function take(talk: Conversation, event: SessionEvent): void {
  const { view, sessionId } = talk.facts;
  const { news, ...standing } = step(talk.standing, event);
  if (news === undefined) return;
  talk.standing = standing;
  // Who has read from the first event on needs to ask for nothing else.
  if ("seq" in news && news.seq === 1) talk.loaded = true;
  if ("seq" in news && sessionId === undefined) talk.facts = { ...talk.facts, sessionId: news.sessionId };
  updateView(talk, reduceView(view, news), isOver(news) ? "now" : "soon");
  talk.onEvent(news);
}

/** Whether nothing more happens without the user. */
export function isOver({ type }: SessionEvent): boolean {
  return type === "run_suspended" || type === "run_ended";
}

/** Anything that was thrown on the way to the server, as it is shown. */
export function failureOf(error: unknown): AgentFailure {
  if (error instanceof Refused) return { code: error.code, message: error.message };
  return { code: "network", message: "The server cannot be reached." };
}
