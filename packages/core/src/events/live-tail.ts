import type { LiveEvent } from "./live-event.ts";

/** A block of the answer that is being written: all of its text so far. */
export interface LivePart {
  index: number;
  kind: "text" | "thinking" | "tool_input";
  text: string;
  tool?: { call_id: string; tool_name: string };
}

/** What is going on in a session right now and is not in the log yet. */
export interface LiveState {
  /** `seq` of the `llm_request` whose answer is being written; 0 when none is. */
  attempt: number;
  parts: LivePart[];
  /** The last progress report of each running tool. */
  progress: Map<string, Extract<LiveEvent, { type: "tool_progress" }> & { version: number }>;
}

/**
 * Tells readers that there is something new, and shows them the part of the current answer that is not stored yet.
 * Readers take stored events from the store, so a lost wake-up costs time, never an event.
 */
export interface LiveTail {
  /** There are new stored events. */
  wake(sessionId: string): void;
  /** Changes what is going on; called by the leg that works on the session. */
  update(sessionId: string, change: (state: LiveState) => void): void;
  /** What is going on in this process. */
  peek(sessionId: string): LiveState | undefined;
  /** Nothing is going on any more. */
  clear(sessionId: string): void;
  /** Calls back after every change until the returned function is called. */
  subscribe(sessionId: string, onChange: () => void): () => void;
}
