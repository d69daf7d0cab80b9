import type { Json } from "../../base/json.ts";
import type { EventType, StoredEvent, StoredOf } from "../event.ts";

// Each doc comment, here and in event-data.ts, begins with when its event comes. `npm run events` copies that
// to docs/events.md.
/**
 * The payloads of live events, by type. Live events are shown but not stored. A delta previews a block of the
 * `assistant_message` that will be stored. The position in each {@link Delta} lets a reader skip text that it
 * already has, and notice a gap.
 */
export interface LiveEventData {
  /** The model wrote text of its answer. */
  text_delta: Delta;
  /** The model wrote a part of its thinking. */
  thinking_delta: Delta;
  /** The model wrote a part of a tool call's input, as JSON. */
  tool_input_delta: Delta & { tool_name: string; call_id: string };
  /**
   * The model wrote a part of the run's output, as JSON text. `partialJson()` parses what has arrived so far.
   * `wrapped`: the output is in the field `value` of that JSON. The event `output` follows with the whole
   * output, or says why it has no value.
   */
  output_delta: Delta & { wrapped?: true };
  /**
   * A call started or ended: comes after its `tool_started` or `tool_result`. `message` is the status text
   * that its tool defines.
   */
  tool_status: { call_id: string; tool_name: string; phase: "start" | "done" | "error"; message?: string };
  /** A running tool reported progress. Each report replaces the one before. */
  tool_progress: { call_id: string; tool_name: string; data: Json };
  /** A tool or a hook emitted a part that is not stored, see `ToolContext.emit`. */
  transient_part: { type: `data-${string}`; data: Json; id?: string; call_id?: string };
  /**
   * The sub-agent of a call wrote text of its answer, if its tool has `showsText`. `attempt` is a `seq` in
   * the sub-agent's own session. A reader that reconnects gets the answer in progress from its beginning.
   */
  agent_delta: Delta & AgentAtWork & { call_id: string };
  /**
   * A turn ended and another one follows: comes before its first `llm_request`. Separate the texts of the two
   * turns.
   */
  turn_ended: { turn: number };
  /**
   * The text of an attempt became void, because the attempt failed, its process died, or a hook changed the
   * answer. Remove the text.
   */
  attempt_restarted: { attempt: number };
}

/** The data of a live event that adds text to a block of an answer. */
export interface Delta {
  /** `seq` of the `llm_request` that the text answers. */
  attempt: number;
  /** Index of the block in the answer. */
  index: number;
  /** Where the text begins in the block, in UTF-16 code units. */
  offset: number;
  /** The new text. */
  text: string;
}

/** The sub-agent that is running for a call, and its session. */
export interface AgentAtWork {
  /** The tool whose call the sub-agent works on. */
  tool_name: string;
  /** The sub-agent's name. */
  agent: string;
  /** The sub-agent's own session. */
  session_id: string;
  /** The call whose tool has given the task. Absent if the sub-agent does the work of a call. */
  call_id?: string;
}

/** The types of {@link LiveEvent}. */
export type LiveEventType = keyof LiveEventData;

/** An event that is shown but not stored in the log. */
export type LiveEvent = { [T in LiveEventType]: { type: T; data: LiveEventData[T] } }[LiveEventType];

/** Everything that a reader of a session receives: stored events, and live events between them. */
export type SessionEvent = StoredEvent | LiveEvent;

/** An event by its type. */
export type EventOf<T extends EventType | LiveEventType> = T extends EventType
  ? StoredOf<T>
  : Extract<LiveEvent, { type: T }>;
