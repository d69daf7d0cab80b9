import type { WhenBusy } from "../../agent/agent.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { EventData } from "../../log/event-data.ts";

/**
 * An answer to a pending question: a `value` that matches the question's schema, or an `error` if a tool that
 * runs at the client failed.
 *
 * The model reads the text of `error` as the call's result. The text has at most 10,000 characters. Questions
 * of hooks, e.g. of `approval()`, accept only a `value`.
 */
export type Answer = {
  callId: string;
  /**
   * The `seq` of the question, from `pending`. Default: the call's last question. Set it, because a call may
   * ask several questions.
   */
  question?: number;
} & ({ value: Json; error?: never } | { error: string; value?: never });

/**
 * Data for the model to read, with the name of its source. `params` are the arguments with which the source
 * was called.
 */
export type Knowledge = EventData["knowledge"];

/** Options of `run()`. Give `input` to start a run with a message, or `answers` to continue a run. */
export interface RunOptions {
  /** The id of the user. A session can be used only by its owner; for other users it does not exist. */
  userId: string;
  /** The id of the session. Default: a new session. */
  sessionId?: string | undefined;
  /**
   * The user's message: a text, or parts, e.g. with files. It closes open questions. If a run is in progress,
   * {@link WhenBusy} decides.
   *
   * A message has at most 20 files, 20 MB and 100 pages.
   */
  input?:
    | string
    | readonly (
        | { type: "text"; text: string }
        | {
            type: "file";
            /**
             * The bytes, or base64. They are a picture (PNG, JPEG, GIF, WebP; at most 7.8 MB and 8,000 pixels
             * a side), a PDF, or a UTF-8 text (at most 1 MB). The type is read from the bytes.
             */
            data: Uint8Array | Blob | string;
            id?: never;
            /** The name that is shown. The model reads the name of a PDF or text. */
            name?: string;
          }
        | {
            type: "file";
            /** The id of a file that this user has uploaded, see `files` of `runtime()`. */
            id: string;
            data?: never;
            /** The name that is shown. The model reads the name of a PDF or text. */
            name?: string;
          }
      )[];
  /** Answers to pending questions, instead of a message. */
  answers?: readonly Answer[];
  /**
   * Data for the model to read before the message. It is stored with the message. The model gets each piece
   * in the tag `knowledge`, or in its `tag`, with the name of its source. The text cannot close that tag.
   */
  knowledge?: readonly Knowledge[];
  /**
   * Parameters of the run for hooks (`context.run.params`) and tools (`context.params`), e.g. `{ model:
   * "claude-haiku-4-5" }`. The model does not read them; sub-agents get them too. They are fixed when the run
   * starts: answers and queued messages do not change them.
   */
  params?: JsonObject;
  /**
   * What the application says about the user of this request, e.g.
   * `{ workspace: "w1", roles: ["admin"] }`. It is stored with the run. `deps`, hooks and tools get it, also
   * those of sub-agents. The model and clients do not. If given with answers, it replaces the earlier one for
   * `deps`, tools and hooks that run from then on. Default: `{}`.
   *
   * It is JSON, and so from the start: a `Date` is a string in the first process too, and fields that are
   * `undefined` are left out. Rejects with `invalid_input` for data of which JSON would lose a part, e.g. a
   * `Set`, a function or an instance of a class. The same holds for `params` and `metadata`.
   */
  caller?: JsonObject;
  /**
   * What tools need to act for the user, e.g. `{ token }`. `deps`, hooks and tools of this process get it. It
   * is never stored: another process that continues the run has to get it again, see `withoutCredentials` of
   * `runtime()`. If given with answers, it replaces the earlier one. An answer of another `caller` without
   * credentials removes it: the run then asks for new ones. Default: none.
   *
   * **Everything in it counts as secret.** In what is stored and reported, e.g. a tool's result or error
   * message, words of 16 and more characters that occur in the credentials are replaced by `…`. They are
   * found in fields at any depth, also in those that getters return, and in maps, headers and bytes of text,
   * but not in what a function or promise returns. Put addresses, ids and other public values into `caller`,
   * or tools cannot return them.
   */
  credentials?: unknown;
  /**
   * The client's id of the message. If a message is sent again with the same id, it is stored once, and the
   * caller gets the first run. This also holds for the first message of a new session.
   */
  clientMessageId?: string;
  /**
   * Stops the run when the signal aborts. If the message is queued for another run, stops the run that reads
   * it. Closing the stream does not stop a run.
   */
  signal?: AbortSignal;
  /**
   * Tools that the client offers for the run, if the agent has `clientTools: true`: the model may call them,
   * and a page runs them, like tools with `runsIn: "client"`. Each message replaces the tools of the
   * message before; the same tools keep the prompt's cache. Those of a queued message are for the run that it
   * starts, if it starts one. Default: none.
   *
   * At most 64 tools with 64,000 characters in all. None may have the name of a tool that runs on the server.
   * `inputSchema` is a JSON Schema of an object. Their inputs are not checked, and their results are any
   * JSON. Rejects with `invalid_input`.
   */
  clientTools?: readonly { name: string; description?: string; inputSchema?: JsonObject }[];
  /** Metadata for the session, if a new one is created. */
  metadata?: JsonObject;
  /**
   * What happens to a message that arrives during a run. An agent's own `whenBusy` takes precedence. Default:
   * `reject`.
   */
  whenBusy?: WhenBusy;
  retry?: never;
}

/**
 * Options of `run()` that answer the last message again after its run failed. Only the last run of a session
 * can be retried:
 *
 * - a run that left the session in status `error`, e.g. after a failed model, a limit or a crash loop;
 * - a run that was stopped or interrupted.
 *
 * A refusal, and an answer that was cut off at `max_tokens`, count as answers and cannot be retried.
 */
export interface RetryRunOptions extends Pick<RunOptions, "userId" | "signal" | "caller" | "credentials"> {
  sessionId: string;
  /**
   * The id of the failed run. The new run keeps its tool results and its `params`. A run is retried once: a
   * second request, in any process, gets the same new run. If the failed run is still in progress, the
   * request gets that run.
   */
  retry: string;
  input?: never;
  answers?: never;
  clientTools?: never;
}
