import type { Json } from "../base/json.ts";
import type { EventType, StoredEvent, StoredOf } from "./event.ts";

/**
 * The payloads of the events that are shown but not stored. A delta previews a block of the coming
 * `assistant_message`: `attempt` is the `seq` of its `llm_request`, `index` the block's place, `offset` where
 * in the block's text the delta begins. Together they name its characters: what a reader has already is the
 * same text, and a delta that begins behind what it has shows that something is missing.
 */
export interface LiveEventData {
  text_delta: Delta;
  thinking_delta: Delta;
  tool_input_delta: Delta & { tool_name: string; call_id: string };
  tool_status: { call_id: string; tool_name: string; phase: "start" | "done" | "error"; message?: string };
  tool_progress: { call_id: string; tool_name: string; data: Json };
  /**
   * Text of the agent that does the work of this call, where its tool `showsText`. `attempt` counts in that
   * agent's own session. A reader that comes again is shown the answer that is being written from its
   * beginning.
   */
  agent_delta: Delta & AgentAtWork & { call_id: string };
  /** A turn is over and another one follows: text of the two must not run together. */
  turn_ended: { turn: number };
  /** The attempt's text is void: its producer was lost or its answer was discarded. */
  attempt_restarted: { attempt: number };
}

/** A live event that adds text to a block of the reply. */
export interface Delta {
  attempt: number;
  index: number;
  offset: number;
  text: string;
}

/** An agent that does a call's work, and the session in which it does. */
export interface AgentAtWork {
  tool_name: string;
  agent: string;
  session_id: string;
}

/** The types of {@link LiveEvent}. */
export type LiveEventType = keyof LiveEventData;

/** An event without a place in the log. */
export type LiveEvent = { [T in LiveEventType]: { type: T; data: LiveEventData[T] } }[LiveEventType];

/** What a reader of a session sees: stored events and, between them, what is not stored. */
export type SessionEvent = StoredEvent | LiveEvent;

/** An event by its type. */
export type EventOf<T extends EventType | LiveEventType> = T extends EventType
  ? StoredOf<T>
  : Extract<LiveEvent, { type: T }>;
