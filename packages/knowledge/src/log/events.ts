import type { Json, JsonObject } from "@pawl/core";
import type { SourceError } from "../sources/fetch-sources.ts";

/** The types of the events that say what was chosen, and what has failed. Clients may see them. */
export const EVENTS: { readonly selection: "knowledge.selection"; readonly failed: "knowledge.failed" } = {
  selection: "knowledge.selection",
  failed: "knowledge.failed",
};

/** Why a source is wanted: nothing of it is there, more of it is needed, or what is there is too old. */
export type SelectionReason = "not_in_context" | "expand_range" | "refresh_state";

/** From the lightest to the weightiest. */
export const reasons: readonly SelectionReason[] = ["not_in_context", "expand_range", "refresh_state"];

/** A source that is to be fetched. */
export interface Chosen {
  source: string;
  reason: SelectionReason;
  /** As the source is asked. */
  params: JsonObject;
}

/** A source that the model wanted in vain. */
export interface Dropped {
  source: string;
  why: "unknown_source" | "malformed" | "duplicate" | "invalid_params" | "already_there" | "not_wider";
}

/** The data of `knowledge.selection`: what was chosen for a run. It is stored before anything is fetched. */
export interface KnowledgeSelection {
  hook: string;
  /** The model that has chosen. What it has used up stands in the `spending` event before this one. */
  model: string;
  run_id: string;
  reasoning: string;
  append_knowledge: Chosen[];
  use_existing: string[];
  dropped: Dropped[];
}

/** Why nothing could be chosen. */
export type ChoiceError = "timed_out" | "model_error" | "refused" | "invalid_answer" | "failed";

/**
 * The data of `knowledge.failed`: why nothing was chosen for a run, or, with `source`, why that source was
 * not fetched. The words of failures go to `onError` and not to the log, which clients may see.
 */
export type KnowledgeFailure =
  | { hook: string; run_id: string; code: ChoiceError; model: string; source?: never }
  | { hook: string; run_id: string; code: SourceError["code"]; source: string };

/** What is read back of a selection. */
export interface StoredPlan {
  chosen: Chosen[];
}

/** Of an event in the log; what makes no sense in it is passed over. */
export function storedPlan({ append_knowledge }: JsonObject): StoredPlan {
  const entries = Array.isArray(append_knowledge) ? append_knowledge : [];
  return { chosen: entries.flatMap(chosenIn) };
}

function chosenIn(entry: Json): Chosen[] {
  const { source, reason, params } = (entry ?? {}) as JsonObject;
  const known = reasons.find((one) => one === reason);
  if (typeof source !== "string" || known === undefined) return [];
  return [{ source, reason: known, params: (params ?? {}) as JsonObject }];
}
