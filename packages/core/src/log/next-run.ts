/**
 * The run that starts in the same append in which another one ends. `messages` are the `seq`s of the messages
 * that it answers, which no request had covered.
 */
export interface NextRun {
  run_id: string;
  messages: number[];
}
