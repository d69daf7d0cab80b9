import type { Json } from "../base/json.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Question } from "../session/run-result.ts";

/**
 * The state of a tool call: `running`, `waiting` for an answer, `done`, or `error` if it failed or was
 * refused.
 */
export type ToolPhase = "running" | "waiting" | "done" | "error";

/**
 * One part of a message: text, thinking, a tool call, or a notice about the end of the run. Parts are in the
 * order in which they came.
 */
export type ViewPart =
  /** `key` identifies the block as long as it is shown. `open`: it is still being written. */
  | { type: "text"; key: string; text: string; open: boolean }
  | { type: "thinking"; key: string; text: string; open: boolean }
  | {
      type: "tool";
      key: string;
      callId: string;
      toolName: string;
      phase: ToolPhase;
      /** The input of the call, as the model wrote it. */
      arguments: Json;
      /** The tool's line for the user, from its `status` option. */
      status?: string;
      /** The last progress report of a running call. */
      progress?: Json;
      /**
       * The text of the sub-agent that does the work, while it is written, if its tool has `showsText`. `key`
       * identifies the block.
       */
      said?: { key: string; text: string };
      result?: Json;
      /**
       * `seq` of the event with the result. Sort by it to see the order in which concurrent calls finished.
       */
      resultSeq?: number;
    }
  /**
   * Why the run stopped, if the user should know. `text` is for the user, `stop` is the type of the stop
   * reason.
   */
  | { type: "notice"; key: string; text: string; stop: string };

/**
 * A message as people see it. All turns of one run make one assistant message. If the run reads a queued
 * message on its way, its later text is a new assistant message after that one. A retry continues the message
 * of the failed run, without its notice and without the text after its last call.
 */
export interface ViewMessage {
  /**
   * A user message's id from its client, or else the `seq` of its event. Assistant messages have ids of
   * Pawl's own.
   */
  id: string;
  role: "user" | "assistant";
  /** The text of all text parts. Texts of different answers are separate paragraphs. */
  text: string;
  parts: ViewPart[];
  /** Whether the message was sent during a run whose model has not read it yet. */
  queued?: boolean;
  /** `seq` of the event that began the message; 0 if the server has not confirmed it. */
  seq: number;
}

/** A run as people see it. */
export interface ViewRun {
  id: string;
  /** `seq` of its `run_started`. */
  seq: number;
  /** Whether it is in progress; `false` while it waits for its user. */
  open: boolean;
  /** For a retry: the id of the failed run's message, which it continues. */
  continues?: string;
  /**
   * `seq` of the last request that picked up a queued message. The text after it belongs to a new assistant
   * message.
   */
  since?: number;
  /** Why it ended. Absent while it is open, and while it waits. */
  stop?: StopReason;
  /** Whether the run left the session in status `error`. */
  failed?: boolean;
}

/** A session as people see it, folded from its events by `reduceView`, on the server and in clients. */
export interface ViewState {
  messages: ViewMessage[];
  /** Questions that wait for an answer. */
  pending: Question[];
  /** Names of the tools that are running, by call id. For a "working" indicator. */
  runningTools: Readonly<Record<string, string>>;
  /** The open run, or else the last one. */
  run: ViewRun | undefined;
  /** `seq` of the last stored event. */
  cursor: number;
}

/** Returns the view of a session without events. */
export function newView(): ViewState {
  return { messages: [], pending: [], runningTools: {}, run: undefined, cursor: 0 };
}
