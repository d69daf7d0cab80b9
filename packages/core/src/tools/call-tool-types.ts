import type { Clock } from "../base/clock.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ToolContext } from "./tool.ts";

/** Options of `callTool()` without `deps`. Most of them are for the tool's context. */
export interface CallSettings {
  /** The id of the user for whom the tool runs. */
  userId: string;
  /** What the application says about the user. Default: `{}`. */
  caller?: JsonObject;
  /** The user's credentials. They are hidden in the outcome. Default: `undefined`. */
  credentials?: unknown;
  /** Parameters for the tool, like the `params` of a run. Default: `{}`. */
  params?: JsonObject;
  /** An id that is the same if the call is repeated. Default: a random id. */
  idempotencyKey?: string;
  /** The id of the call. Default: the idempotency key. */
  callId?: string;
  /** Aborts the call. The tool's own `signal` then aborts too. */
  signal?: AbortSignal;
  /** Time limit of a tool without a `timeoutMs` of its own, in milliseconds. Default: none. */
  timeoutMs?: number;
  /** The clock for time limits; replace it in tests. Default: the system's. */
  clock?: Clock;
}

/** Options of `callTool()`. `deps` is optional if the tool needs none. */
export type CallToolOptions<Deps = unknown> = CallSettings &
  (unknown extends Deps ? { deps?: Deps } : { deps: Deps });

/** The outcome of `callTool()`. */
export type ToolCallOutcome =
  | {
      success: true;
      /** The value that the tool returned, as JSON. */
      result: Json;
      /** The text or blocks that a model should read instead of `result`, made by the tool's `format`. */
      content?: string | ContentBlock[];
      /** The facts that the tool passed to `context.report()`. */
      report: Parameters<ToolContext["report"]>[0];
    }
  | {
      success: false;
      /**
       * Why the call failed.
       *
       * - `invalid_input`: the input does not match the tool's schema, and nothing ran
       * - `failed`: the tool threw
       * - `timed_out`, `aborted`: the tool was abandoned, and its outcome is unknown
       */
      failure: "invalid_input" | "failed" | "timed_out" | "aborted";
      /** A description of the failure for a model. */
      message: string;
      /** The error's own code, or that of its cause, e.g. `ECONNREFUSED`. */
      code?: string;
      report: Parameters<ToolContext["report"]>[0];
    };
