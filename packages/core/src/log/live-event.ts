import type { Json } from "../base/json.ts";
import type { EventType, StoredEvent, StoredOf } from "./event.ts";

/**
 * The payloads of live events, which are shown but not stored. A delta previews a block of the coming
 * `assistant_message`: `attempt` is the `seq` of its `llm_request`, `index` the block's index, and `offset`
 * the delta's position in the block's text, in UTF-16 code units. A reader uses them to skip text that it
 * already has, and to notice a gap.
 */
export interface LiveEventData {
  text_delta: Delta;
  thinking_delta: Delta;
  tool_input_delta: Delta & { tool_name: string; call_id: string };
  tool_status: { call_id: string; tool_name: string; phase: "start" | "done" | "error"; message?: string };
  tool_progress: { call_id: string; tool_name: string; data: Json };
  /**
   * Text of the sub-agent that does the work of this call, if its tool `showsText`. `attempt` counts in the
   * sub-agent's own session. A reader that reconnects gets the answer in progress from its beginning.
   */
  agent_delta: Delta & AgentAtWork & { call_id: string };
  /** A turn has ended and another one follows. Separate their texts. */
  turn_ended: { turn: number };
  /** The attempt's text is void: its process was lost, or its answer was discarded. */
  attempt_restarted: { attempt: number };
}

/** A live event that adds text to a block of the reply. */
export interface Delta {
  attempt: number;
  index: number;
  offset: number;
  text: string;
}

/** A sub-agent at work on a call, and its session. */
export interface AgentAtWork {
  tool_name: string;
  agent: string;
  session_id: string;
}

/** The types of {@link LiveEvent}. */
export type LiveEventType = keyof LiveEventData;

/** An event without a place in the log. */
export type LiveEvent = { [T in LiveEventType]: { type: T; data: LiveEventData[T] } }[LiveEventType];

/** Everything that a reader of a session receives: stored events, and live events between them. */
export type SessionEvent = StoredEvent | LiveEvent;

/** An event by its type. */
export type EventOf<T extends EventType | LiveEventType> = T extends EventType
  ? StoredOf<T>
  : Extract<LiveEvent, { type: T }>;
