import type { Json } from "../base/json.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Question } from "../session/run-result.ts";

/** How far a tool call has come, as a page shows it. */
export type ToolPhase = "running" | "waiting" | "done" | "error";

/** A piece of an assistant's message, in the order in which it came. */
export type ViewPart =
  /** `key` names the block for as long as it is shown; `open`: it is still being written. */
  | { type: "text"; key: string; text: string; open: boolean }
  | { type: "thinking"; key: string; text: string; open: boolean }
  | {
      type: "tool";
      key: string;
      callId: string;
      toolName: string;
      phase: ToolPhase;
      arguments: Json;
      /** The tool's own words for the user. */
      status?: string;
      /** The last progress report. */
      progress?: Json;
      /** What the agent writes that does the work, where its tool `showsText`; `key` names the block. */
      said?: { key: string; text: string };
      result?: Json;
      /** `seq` of the event that brought the result: calls that ran side by side finish in any order. */
      resultSeq?: number;
    }
  /** Why the run stopped, where the user should know. */
  | { type: "notice"; key: string; text: string; stop: string };

/**
 * A message as people see it. All turns of one run make one assistant message; a message that the run takes
 * up on its way parts it, and what the run says from then on stands behind it. A retry continues the message
 * of the run that failed, without its notice and without the text after its last call.
 */
export interface ViewMessage {
  /** The client's id of a user message if it gave one; else `seq` of the event that began the message. */
  id: string;
  role: "user" | "assistant";
  /** The text alone, paragraphs of different turns kept apart. */
  text: string;
  parts: ViewPart[];
  /** It was sent while a run was at work, and the model has not read it yet. */
  queued?: boolean;
  /** `seq` of the event that began it; 0 for a message that the server has not confirmed. */
  seq: number;
}

/** A run as people see it. */
export interface ViewRun {
  id: string;
  seq: number;
  open: boolean;
  /** For a retry: the message of the failed run, which it continues. */
  continues?: string;
  /**
   * `seq` of the request that took up a queued message, the last of them: with it, another assistant message
   * begins.
   */
  since?: number;
  stop?: StopReason;
  /** It left the session in status `error`. */
  failed?: boolean;
}

/**
 * A session as people see it, folded from its events. The same fold serves the server's view and the
 * client's.
 */
export interface ViewState {
  messages: ViewMessage[];
  pending: Question[];
  /** Calls at work, by id: what a "working" indicator counts. */
  runningTools: Readonly<Record<string, string>>;
  /** The run that is open, or the last one. */
  run: ViewRun | undefined;
  /** `seq` of the last stored event. */
  cursor: number;
}

/** A session without events. */
export function newView(): ViewState {
  return { messages: [], pending: [], runningTools: {}, run: undefined, cursor: 0 };
}
