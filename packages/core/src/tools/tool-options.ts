import type { Instead } from "../base/hints.ts";
import type { Json } from "../base/json.ts";
import type { SessionStatus } from "../log/session-row.ts";
import type { Infer, Schema } from "../schema/schema.ts";
import type { Expiry } from "./expiry.ts";
import type { AnswerSchema, Suspends } from "./suspends.ts";
import type { ToolContext } from "./tool.ts";

/**
 * Options of `tool()`. `I` and `A` are the schemas of the input and the answer, `Deps` is the type of the
 * `deps` that the tool needs. The others are the types of the fields that have their names.
 */
export interface ToolOptions<
  I,
  A,
  Deps,
  Name extends string = string,
  Result = unknown,
  Ends extends boolean | SessionStatus = boolean | SessionStatus,
  Kind extends string = string,
  Payload extends Json = Json,
> extends Instead<"tool"> {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`, unique among the agent's tools. */
  name: Name;
  /** The description for the model: what the tool does and when to use it. */
  description: string;
  /**
   * The schema of the input, which must be an object: zod from 4.2, another schema that describes itself as
   * JSON Schema, `zod3()` or `jsonSchema()`.
   */
  input: I & (Infer<I> extends never ? Schema : unknown);
  /**
   * Runs the tool. The model reads the returned value: a string unchanged, any other value as JSON.
   *
   * - Throw to fail the call. The error's message goes to the model and into the log.
   * - With `suspends`, `execute` runs after the user's answer. Without `execute`, the answer is the result.
   */
  execute?: (input: Infer<I>, context: ToolContext<Deps, Infer<A>>) => Result;
  /** Asks the user a question and waits for the answer. Default: the call does not wait. */
  suspends?: Suspends<Infer<I>, A, Kind, Payload>;
  /**
   * `client`: a page of the session's owner runs the tool, see `useAgent({ tools })` of `@pawl/client`. Such
   * a tool has no `execute`. The call waits for the page's result or error, for days if necessary; the first
   * one counts. After a reload the page runs an open call again, so a tool may run more than once. Default:
   * the tool runs in this process.
   */
  runsIn?: "client";
  /**
   * The schema of the page's result, for a tool that runs at the client. The call fails if the result does
   * not match. Default: any JSON.
   */
  output?: AnswerSchema<A>;
  /** When a call gets the result `default` because no page has answered it. Default: never. */
  expires?: Expiry;
  /**
   * Returns the text that the model reads instead of the result: a string, or content blocks of the Messages
   * API. Default: a string unchanged, any other value as JSON.
   *
   * Fields that the API does not allow in a result are removed. If the API would refuse a block, or `format`
   * throws, the default is used, and the runtime's `onError` gets the error once.
   *
   * Clients over HTTP get the result and never this text, so instructions for the model belong here.
   */
  format?(result: Json): string | readonly { type: string; [field: string]: Json | undefined }[];
  /** The longest result that the model reads, in characters. Default: the agent's `resultLimit`. */
  maxResultChars?: number;
  /**
   * Input fields whose text the model no longer needs after the call succeeded, e.g. `["content"]`. Later
   * requests contain `[saved: 5210 chars]` in place of the text. To change the word, pass an object:
   * `{ content: "sent" }`. Later turns cannot read the text in the call, so do not instruct the model to do
   * so.
   */
  shortenInput?: readonly (keyof Infer<I> & string)[] | { readonly [field in keyof Infer<I>]?: string };
  /** Texts for the user: `start` while the tool is running, `done` when it has finished. */
  status?: { start?: string; done?: string };
  /** A label of your own, e.g. for grouping in a user interface. */
  category?: string;
  /**
   * Time limit in milliseconds, up to 2,147,483,647. A call that takes longer fails with an error. Default:
   * only the run's own time limit.
   */
  timeoutMs?: number;
  /**
   * Whether a call may run again, with the same idempotency key, if the process died or was shut down while
   * it ran. If not, the model is told that the outcome is unknown. Default: no.
   */
  idempotent?: boolean;
  /**
   * Whether the tool runs again if the model repeats a successful call with the same input in one run. If
   * not, the repetition is skipped, and its result says so.
   *
   * - `true`: runs each time.
   * - `false`: runs once in a run.
   *
   * Default: runs again once another call has run, and if the model made equal calls in one turn.
   */
  repeatable?: boolean;
  /**
   * Names of tools whose results the model needs before it calls this tool. Default: none.
   *
   * - If the model calls one of them in the same turn, this call is skipped. The model is told to repeat it
   *   in the next turn.
   * - With the tool's own name in the list, only the first of its calls in a turn runs.
   */
  dependsOn?: readonly string[];
  /** Whether the run ends once this tool has succeeded. A status also becomes the session's. Default: no. */
  endsRun?: Ends;
}
