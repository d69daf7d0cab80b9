import type { JsonObject, SessionStatus } from "@pawl/core";

/** A tool as `GET <base>/tools/schema` lists it. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** The JSON Schema (draft 2020-12) of the input, which is an object. */
  input_schema: JsonObject;
  /** Whether a call may run again with the same `Idempotency-Key`. Default: no. */
  idempotent?: boolean;
  /** Whether the model may repeat a successful call with the same input, see `repeatable` of `tool()`. */
  repeatable?: boolean;
  /** The tool's time limit, in milliseconds. */
  timeout_ms?: number;
  /** The longest result that the model reads, in characters. Default: the agent's `resultLimit`. */
  max_result_chars?: number;
  /** Names of tools whose results the model needs before it calls this one, see `dependsOn` of `tool()`. */
  depends_on?: readonly string[];
  /** Whether the run ends once the tool has succeeded, or also the session's status then. Default: no. */
  ends_run?: boolean | SessionStatus;
  /** Texts for the user while the tool is running, and once it has finished. */
  status?: { start?: string; done?: string };
}

/** The paths of the routes, below the base. */
export const PATHS = {
  schema: "/tools/schema",
  execute: "/tools/execute",
  openApi: "/openapi.json",
} as const;

/** What a tool reported about its call, in the response of `POST <base>/tools/execute`. */
export interface WireReport {
  cost_usd?: number;
  connector?: string;
  fragments?: readonly string[];
  sources?: readonly { id: string; title: string; url?: string }[];
  summary?: string;
}
