import type { Json } from "../base/json.ts";
import type { EventData } from "../log/event-data.ts";
import type { ClosedBy, RefusedContent } from "../log/event-parts.ts";
import type { StopReason } from "../log/stop-reason.ts";
import type { Usage } from "../model/pricing.ts";
import type { Question } from "../session/run-result.ts";

/**
 * The state of a tool call: `running`, `waiting` for the user's answer, `done`, `error` if the call failed
 * or was refused, or `skipped` if it was answered without being run, e.g. because it repeats an earlier call
 * or its question was closed. The result of a closed call is `{ answered: false, reason }`. A closed call of
 * a page's tool has the phase `error` and a text that its outcome is unknown.
 */
export type ToolPhase = "running" | "waiting" | "done" | "error" | "skipped";

/**
 * A question of a call or of a hook, and what became of it.
 *
 * - `open`: it waits for the answer.
 * - `answered`: it has an answer.
 * - `expired`: nobody has answered in time, and `value` is the default.
 * - `closed`: it will not be answered, because the user wrote a message or the run ended.
 * - `stopped`: it will not be answered, because the run was stopped.
 */
export interface ViewQuestion {
  /** `seq` of the question's event. */
  seq: number;
  /** The kind of the question, e.g. `approval`. */
  kind: string;
  /** What was asked. `[redacted]` once the question was redacted. */
  payload: Json;
  state: "open" | "answered" | "expired" | "closed" | "stopped";
  /**
   * What settled the question. Absent while it is open, and if an earlier version of Pawl has closed it.
   */
  by?: "user" | "time" | ClosedBy;
  /**
   * `seq` of the event that answered or closed the question; absent while it is open. A call whose
   * `resultSeq` is this number has the answer, and not its result yet.
   */
  resultSeq?: number;
  /** The answer, or the default of an expired question. Absent for any other state. */
  value?: Json;
  /** Why the question was closed, or why the tool of the page has failed. */
  reason?: string;
}

/** A passage of a source that a text cites. */
export interface Citation {
  /** The passage, as it is in the source. */
  text: string;
  /**
   * The web address of the source, or the name that a tool has given to it. If the message has a part for
   * that source, it is the part's `id`. `null` for a document, which has a title only.
   */
  source: string | null;
  /** The title of the source, e.g. a file's name. */
  title: string | null;
  /** The page of a PDF on which the passage begins, from 1. */
  page: number | null;
}

/**
 * The tokens and the cost of a run: of its requests, its sub-agents, and the models that its hooks and tools
 * have asked.
 */
export interface ViewUsage extends Usage {
  /** In US dollars; 0 if no model has prices. */
  costUsd: number;
}

/**
 * One part of a message: text, thinking, a tool call, a source, a file, an artifact, a part of your own, the
 * run's output, a notice that says why the run stopped, or a mark that earlier content is left out of the
 * context. A message has its parts in the order of their arrival. A hook's question is shown as a call,
 * with the hook's name, the question's payload and its answer.
 *
 * `role` is the agent's role that spoke when the part came, see `roles` of `agent()`; absent without roles.
 */
export type ViewPart =
  /**
   * A block of text. `key` stays the same while the part is shown. `open` is `true` while the model is
   * writing. `citations` are known once the answer is complete. A model that cites begins a new block with
   * each cited statement, so show neighbouring blocks as one text.
   */
  | { type: "text"; key: string; role?: string; text: string; open: boolean; citations?: Citation[] }
  | { type: "thinking"; key: string; role?: string; text: string; open: boolean }
  /**
   * A source of the answer, reported by a tool (`context.report({ sources })`) or found by the API's own web
   * search. `url` is an http or https address, or absent. `callId` is the tool's call.
   */
  | { type: "source"; key: string; role?: string; id: string; title: string; url?: string; callId?: string }
  /**
   * A file of a user's message, before the message's text, or of a tool result. `id` is for `GET /files/:id`
   * of the handler; it is absent until the server has confirmed the message. `mediaType` is read from the
   * bytes, and `bytes` is their number. Pictures have `width` and `height` in pixels, PDFs an estimate of
   * their `pages`. `callId` is the call with that result.
   */
  | {
      type: "file";
      key: string;
      role?: string;
      callId?: string;
      id?: string;
      /** The path of the file at the handler that has sent the view or the events. */
      url?: string;
      mediaType: string;
      bytes: number;
      name?: string;
      width?: number;
      height?: number;
      pages?: number;
    }
  | {
      type: "tool";
      key: string;
      role?: string;
      callId: string;
      toolName: string;
      phase: ToolPhase;
      /** The input of the call, as the model wrote it. */
      arguments: Json;
      /**
       * The input with which the call runs, if a hook has changed it and shows the change, e.g. because the
       * user has made it in an answer.
       */
      input?: Json;
      /** The tool's status text for the user, from its `status` option. */
      status?: string;
      /** The last progress report of a running call. */
      progress?: Json;
      /**
       * The text that the call's sub-agent is writing, for a tool with `shows`. Absent once the call has
       * its result. `key` identifies the block of text.
       */
      said?: { key: string; text: string };
      /** The questions that the call has asked, oldest first. Absent without any. */
      questions?: readonly ViewQuestion[];
      result?: Json;
      /**
       * `seq` of the event that has the result. Sort by this number to show concurrent calls in the order in
       * which they finished.
       */
      resultSeq?: number;
    }
  /** Something that a tool or a hook made for the user, see `context.createArtifact()`. */
  | { type: "artifact"; key: string; role?: string; artifact: EventData["artifact"] }
  /**
   * A part that a tool or a hook has emitted, see `ToolContext.emit`. `name` is its type, e.g. `data-map`.
   * `seq` is that of the event that has the data.
   */
  | {
      type: "data";
      key: string;
      role?: string;
      name: `data-${string}`;
      id?: string;
      data: Json;
      seq: number;
    }
  /**
   * The run's output, see `output` of `agent()`. While the model is writing it, `json` is the text so far.
   * `wrapped` says that the output is in the field `value` of that JSON. `outputIn()` returns the output of
   * both forms.
   */
  | { type: "output"; key: string; role?: string; open: true; json: string; wrapped?: true }
  | { type: "output"; key: string; role?: string; open: false; value: Json }
  /**
   * Why the run stopped, if the user should know. `text` is a sentence for the user, `stop` is the type of
   * the stop reason.
   */
  | { type: "notice"; key: string; role?: string; text: string; stop: string }
  /**
   * The model's provider had refused earlier content of the conversation, so it was shortened or left out
   * here: `by` says why.
   */
  | { type: "left_out"; key: string; role?: string; by: RefusedContent["by"] };

/**
 * A message as the user sees it. All turns of one run form one assistant message, with two exceptions:
 *
 * - If the model reads a queued message during the run, the text that follows is a new assistant message
 *   after the queued one.
 * - A retry continues the failed run's message, without the notice and the text after the last tool call.
 */
export interface ViewMessage {
  /**
   * For a user message, the id that its client gave, or else the `seq` of its event. Pawl makes the ids of
   * assistant messages.
   */
  id: string;
  /** Who wrote the message. */
  role: "user" | "assistant";
  /** The text of all text parts. A blank line separates the texts of different model answers. */
  text: string;
  /** The message's parts, in the order in which they arrived. */
  parts: ViewPart[];
  /** `true` if the message was sent during a run, until that run reads it or the next run begins. */
  queued?: boolean;
  /** The tokens and cost of the run. The last message of a run has them, once the run has ended. */
  usage?: ViewUsage;
  /** `seq` of the event with which the message starts; 0 if the server has not confirmed it. */
  seq: number;
}

/** A run as the user sees it. */
export interface ViewRun {
  /** Id of the run. */
  id: string;
  /** `seq` of the run's `run_started` event. */
  seq: number;
  /** Whether the run is in progress. `false` while the run waits for the user's answer. */
  open: boolean;
  /** For a retry: the id of the failed run's assistant message, which the retry continues. */
  continues?: string;
  /**
   * `seq` of the last model request that included a queued message. Text after that request belongs to a new
   * assistant message.
   */
  since?: number;
  /** The tokens and cost of the run, once it has ended. */
  usage?: ViewUsage;
  /** The agent's role that speaks, or has spoken last in the run. Absent if the agent has no roles. */
  role?: string;
  /** Why the run ended. Absent while the run is in progress or waits for an answer. */
  stop?: StopReason;
  /** Whether the run ended with the session's status `error`. */
  failed?: boolean;
  /**
   * The time until which the run waits before its model is asked again, e.g. because of a rate limit. ISO
   * 8601, UTC. Absent for waits below 5 s. Once the time has passed, the model is being asked.
   */
  retryAt?: string;
}

/**
 * A session as the user sees it: messages, questions and the state of the run. `reduceView` computes it from
 * the session's events, on the server and in clients.
 */
export interface ViewState {
  /** The conversation, oldest message first. */
  messages: ViewMessage[];
  /** The open questions to the user. */
  pending: Question[];
  /** The names of the running tools by call id, e.g. for a progress indicator. */
  runningTools: Readonly<Record<string, string>>;
  /** The run in progress, or else the last run. `undefined` before the first run. */
  run: ViewRun | undefined;
  /** `seq` of the last stored event in the view; 0 if none exists. */
  cursor: number;
}

/**
 * Returns the view of a session without events.
 *
 * @example
 * ```ts
 * import { newView } from "@pawl/core/view";
 *
 * console.log(newView().cursor); // 0
 * ```
 */
export function newView(): ViewState {
  return { messages: [], pending: [], runningTools: {}, run: undefined, cursor: 0 };
}
