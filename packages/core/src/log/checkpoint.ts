/** The payload of a `checkpoint` event, see `EventData`. */

export type Checkpoint = {
  from_seq: number;
  upto_seq: number;
  reason: "drop_old_results" | "summary" | "start";
  only?: "files" | "refused" | "refused_files";
  refused?: RefusedContent;
  summary?: string;
};

/**
 * What a checkpoint changes in the context after the model's provider has refused a request for its content,
 * so that later requests do not contain it unchanged.
 */
export interface RefusedContent {
  /**
   * Why the request was refused.
   *
   * - `size`: it was too long.
   * - `filter`: a filter of the provider refused it.
   * - `model`: the model refused to answer it (`refusal`), for the second time in a row.
   * - `signature`: the provider did not accept thinking in it, e.g. that of another model.
   * - `files`: its files could not be read, or were too many.
   */
  by: "size" | "filter" | "model" | "signature" | "files";
  /**
   * The context events that change, by `seq`. `keep` is how many characters of the event stay. With 0, a note
   * replaces its content; without `keep`, notes replace only its files.
   */
  events: { seq: number; keep?: number }[];
}
