import { isEqualJson, type Json } from "../base/json.ts";

/**
 * What the user consents to by an answer that lets a call run.
 *
 * - `input` is the parsed input with which the call will run; absent if the model or a hook has written
 *   exactly that. What JSON lacks is named, e.g. `{ bigint: "10" }`.
 * - `tool` has the SHA-256 hashes of a tool that has a source, e.g. an MCP server; absent for the
 *   application's own.
 */
export interface Consent {
  input?: Json;
  tool?: Record<Exclude<ConsentPart, "input">, string>;
}

/** A part of what the user consents to. `server` is where the tool comes from, see `ToolSource`. */
export type ConsentPart = "input" | "description" | "input_schema" | "annotations" | "server";

/** What the user was shown, or what is about to run. */
export type ConsentObject = Consent & { input: Json };

const PARTS_OF_TOOL = ["description", "input_schema", "annotations", "server"] as const;

/**
 * Decides whether what is about to run is what the user has consented to. Returns the parts that differ;
 * empty if the call may run. A pure function. The version of the agent does not matter.
 */
export function consentChanges(shown: ConsentObject, now: ConsentObject): readonly ConsentPart[] {
  const changed: ConsentPart[] = isEqualJson(shown.input, now.input) ? [] : ["input"];
  return [...changed, ...PARTS_OF_TOOL.filter((part) => shown.tool?.[part] !== now.tool?.[part])];
}
