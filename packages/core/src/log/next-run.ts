/**
 * A run that starts in the append that ends another one. `messages` are the `seq`s of the queued messages
 * that it answers.
 */
export interface NextRun {
  run_id: string;
  messages: number[];
}
