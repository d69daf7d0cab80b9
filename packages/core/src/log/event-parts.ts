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
