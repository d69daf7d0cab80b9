import type { Json, JsonObject } from "@pawl/core";
import type { SourceError } from "../sources/fetch-sources.ts";

/** The types of the initializer's events. Clients may see these events. */
export const EVENTS: { readonly selection: "knowledge.selection"; readonly failed: "knowledge.failed" } = {
  selection: "knowledge.selection",
  failed: "knowledge.failed",
};

/** Why a source is fetched: it is not loaded, a longer range is needed, or the loaded data is stale. */
export type SelectionReason = "not_in_context" | "expand_range" | "refresh_state";

/** All reasons, from the weakest to the strongest. */
export const reasons: readonly SelectionReason[] = ["not_in_context", "expand_range", "refresh_state"];

/** A source to fetch. */
export interface Chosen {
  /** Name of the source. */
  source: string;
  /** Why the source was chosen. */
  reason: SelectionReason;
  /** The source's params, without the defaults of its schema. */
  params: JsonObject;
}

/** A source that the model chose and that is not fetched, with the reason. */
export interface Dropped {
  /** Name of the source, as the model wrote it. */
  source: string;
  /** Why the source is not fetched. */
  why: "unknown_source" | "malformed" | "duplicate" | "invalid_params" | "already_there" | "not_wider";
}

/**
 * The data of a `knowledge.selection` event: the sources that were chosen for a run. It is stored before they
 * are fetched.
 */
export interface KnowledgeSelection {
  /** Name of the initializer. */
  hook: string;
  /** The id of the model that chose. Its usage is in the `spending` event before this one. */
  model: string;
  /** Id of the run. */
  run_id: string;
  /** The model's reasons, in its own words. */
  reasoning: string;
  /** The sources to fetch. */
  append_knowledge: Chosen[];
  /** Names of sources whose data is already in the context. */
  use_existing: string[];
  /** Choices that are not valid or not needed. */
  dropped: Dropped[];
}

/** Why the model's choice failed. */
export type ChoiceError = "timed_out" | "model_error" | "refused" | "invalid_answer" | "failed";

/**
 * The data of a `knowledge.failed` event: why no sources were chosen for a run, or, with `source`, why that
 * source could not be fetched. Error messages go to `onError` and not into the log, which clients may see.
 */
export type KnowledgeFailure =
  | { hook: string; run_id: string; code: ChoiceError; model: string; source?: never }
  | { hook: string; run_id: string; code: SourceError["code"]; source: string };

/** A choice that was read from the log. */
export interface StoredPlan {
  chosen: Chosen[];
}

/** Reads the data of a `knowledge.selection` event. Invalid entries are skipped. */
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
