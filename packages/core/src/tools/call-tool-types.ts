import type { Clock } from "../base/clock.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ContentBlock } from "../model/content.ts";
import type { ToolContext } from "./tool.ts";

/** Options of `callTool()` without `deps`: what the tool finds in its context. */
export interface CallSettings {
  /** The id of the user for whom the tool runs. */
  userId: string;
  /** What the application says about the user. Default: `{}`. */
  caller?: JsonObject;
  /** The user's credentials. The outcome does not repeat them. Default: `undefined`. */
  credentials?: unknown;
  /** Parameters for the tool, as a run has. Default: `{}`. */
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
      /** What the tool returned, as JSON. */
      result: Json;
      /** What a model should read instead, if the tool has `format`. */
      content?: string | ContentBlock[];
      /** What the tool reported. */
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
      /** What a model should read of the failure. */
      message: string;
      /** The error's own code, or that of its cause, e.g. `ECONNREFUSED`. */
      code?: string;
      report: Parameters<ToolContext["report"]>[0];
    };
