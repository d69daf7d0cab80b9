import type { Json, JsonObject } from "@pawl/core";
import type { SourceError } from "../sources/fetch-sources.ts";

/** The event types of choices and of failures. Clients may see these events. */
export const EVENTS: { readonly selection: "knowledge.selection"; readonly failed: "knowledge.failed" } = {
  selection: "knowledge.selection",
  failed: "knowledge.failed",
};

/** Why a source is wanted: it is not loaded, more of it is needed, or the loaded data are too old. */
export type SelectionReason = "not_in_context" | "expand_range" | "refresh_state";

/** From the weakest to the strongest. */
export const reasons: readonly SelectionReason[] = ["not_in_context", "expand_range", "refresh_state"];

/** A source to fetch. */
export interface Chosen {
  source: string;
  reason: SelectionReason;
  /** What the source is asked with, before its schema's defaults. */
  params: JsonObject;
}

/** A source that the model chose and that is not fetched. */
export interface Dropped {
  source: string;
  why: "unknown_source" | "malformed" | "duplicate" | "invalid_params" | "already_there" | "not_wider";
}

/** The data of `knowledge.selection`: what was chosen for a run. It is stored before anything is fetched. */
export interface KnowledgeSelection {
  hook: string;
  /** The model that chose. Its usage is in the `spending` event before this one. */
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
 * not fetched. Messages of failures go to `onError` and not to the log, which clients may see.
 */
export type KnowledgeFailure =
  | { hook: string; run_id: string; code: ChoiceError; model: string; source?: never }
  | { hook: string; run_id: string; code: SourceError["code"]; source: string };

/** A selection as it is read back from the log. */
export interface StoredPlan {
  chosen: Chosen[];
}

/** Reads a `knowledge.selection`. Invalid entries are skipped. */
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
