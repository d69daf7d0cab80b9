import type { Json } from "../base/json.ts";

/**
 * What the user consents to by an answer that lets a call run.
 *
 * - `input` is the parsed input with which the call will run; absent if the model or a hook has written
 *   exactly that.
 * - `tool` has the SHA-256 hashes of a tool that has a source, e.g. an MCP server; absent for the
 *   application's own.
 */
export interface Consent {
  input?: Json;
  tool?: Record<Exclude<ConsentPart, "input">, string>;
}

/** A part of what the user consents to. `server` is where the tool comes from, see `ToolSource`. */
export type ConsentPart = "input" | "description" | "input_schema" | "annotations" | "server";
