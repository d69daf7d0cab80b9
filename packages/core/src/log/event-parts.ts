import type { JsonObject } from "../base/json.ts";

/**
 * Input fields of a tool that are replaced by a note of their length once the call has succeeded. Each has
 * the note's first word, e.g. `saved` for the note `[saved: 4000 chars]`.
 */
export interface ShortenInput {
  /** The first word of the note that replaces this field, e.g. `saved`. */
  readonly [field: string]: string;
}

/**
 * When a question about the run is asked: before its first turn, between two turns, or before another process
 * resumes it.
 */
export type QuestionPlace = "run" | "turn" | "resume";

/**
 * A run that starts in the append that ends another one. `messages` are the `seq`s of the queued messages
 * that it answers.
 */
export interface NextRun {
  run_id: string;
  messages: number[];
}

/** What the application says about the user, and whether it gave credentials, which are never stored. */
export interface CalledBy {
  caller?: JsonObject;
  credentials?: true;
}
