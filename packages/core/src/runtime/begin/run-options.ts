import type { WhenBusy } from "../../agent/agent.ts";
import type { JsonInput, JsonObject, JsonObjectInput } from "../../base/json.ts";
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
   * ask several questions. A question with `changed` has no default.
   */
  question?: number;
} & ({ value: JsonInput; error?: never } | { error: string; value?: never });

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
   * The user's message: a text, or a list of parts, e.g. with files. A message cancels open questions. During
   * a run in progress, {@link WhenBusy} decides what happens to the message.
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
             * The file's bytes, or their base64: a picture (PNG, JPEG, GIF, WebP; at most 7.8 MB and 8,000
             * pixels a side), a PDF, or a UTF-8 text (at most 1 MB). The type is detected from the bytes.
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
   * in the tag `knowledge`, or in the piece's own `tag`, with the name of its source. The text of a piece
   * cannot close the tag.
   */
  knowledge?: readonly Knowledge[];
  /**
   * Parameters of the run for hooks (`context.run.params`) and tools (`context.params`), e.g. `{ model:
   * "claude-haiku-4-5" }`. Sub-agents get the parameters too; the model does not read them. Answers and
   * queued messages do not change the parameters of a run.
   */
  params?: JsonObjectInput;
  /**
   * What the application says about the user of this request, e.g. `{ workspace: "w1", roles: ["admin"] }`.
   * The caller is stored with the run. `deps`, hooks and tools get it, also those of sub-agents. The model
   * and clients do not get it. A caller that is given with answers replaces the earlier one for `deps`, tools
   * and hooks that run from then on. Default: `{}`.
   *
   * The value is converted to JSON before anybody gets it: a `Date` becomes a string, and `undefined` fields
   * are left out. Rejects with `invalid_input` if JSON would lose data, e.g. of a `Set`, a function or a
   * class instance. `params` and `metadata` must not lose data either.
   */
  caller?: JsonObjectInput;
  /**
   * What tools need to act for the user, e.g. `{ token }`. `deps`, hooks and tools of this process get the
   * credentials. They are never stored: another process that continues the run has to get them again, see
   * `withoutCredentials` of `runtime()`. Credentials that are given with answers replace the earlier ones. An
   * answer of another `caller` without credentials removes them, and the run asks for new ones. Default:
   * none.
   *
   * **Everything in the credentials counts as secret.** Pawl stores and reports `…` in place of each of their
   * words of 16 or more characters, e.g. in a tool's result or error message.
   *
   * - Found: words in fields at any depth, in the results of getters, and in maps, headers and bytes of text.
   * - Not found: words that a function or a promise returns.
   *
   * Put addresses, ids and other public values into `caller`, or tools cannot return them.
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
   * Tools that the client offers for the run, if the agent has `clientTools: true`. The model may call them,
   * and a page runs them, like tools with `runsIn: "client"`. Each message replaces the tools of the message
   * before; the same tools keep the prompt's cache. The tools of a queued message only apply to a run that
   * the message starts. Default: none.
   *
   * At most 64 tools with 64,000 characters in all. Names of tools that run on the server are refused.
   * `inputSchema` is a JSON Schema of an object. Pawl does not check the inputs, and a result may be any
   * JSON. Rejects with `invalid_input` if a tool is invalid, or if the agent accepts no tools from clients.
   */
  clientTools?: readonly { name: string; description?: string; inputSchema?: JsonObject }[];
  /** Metadata for a new session. Ignored if the session exists. */
  metadata?: JsonObjectInput;
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
