/** How long sessions waited, in milliseconds. */
export interface Waits {
  /** How many sessions. */
  count: number;
  p50: number;
  p95: number;
  max: number;
}

/** What `killWorkers()` has seen. */
export interface KillReport {
  /** How many runs were started. */
  runs: number;
  /** How many workers were killed, and how often one was frozen. */
  kills: number;
  freezes: number;
  /**
   * How long sessions of killed workers waited until another one had their lease. Sessions that no worker was
   * working on at that moment do not count.
   */
  takeoverMs: Waits;
  /** The same for sessions of frozen workers. */
  frozenTakeoverMs: Waits;
  /**
   * How long the engine took to give sessions of killed workers to another one, if the workers use
   * `watchEngine()`. A worker may have taken over such a session before, by a sweep.
   */
  redeliveryMs: Waits;
  /** How often a worker was refused because it had lost its lease: appends, and renewals. */
  refused: number;
  /** Results of a worker that had lost its lease. They were discarded. */
  lateResults: number;
  /** How often the tool that must not run twice has run. */
  effects: number;
  /** How often it has run twice for one call. */
  effectsTwice: number;
  /** The calls whose worker was lost, so that nobody knows the outcome. */
  unknownOutcomes: number;
  /** Calls of the other tool that ran again because their result was lost. */
  stepsAgain: number;
  /** Steps and requests that were made again although the log had their result. */
  recordedAgain: number;
  /** How many requests were sent to the model, and how many of them were invalid. */
  requests: number;
  invalidRequests: number;
  /** How long it all took, in seconds. */
  seconds: number;
  /** What should not have happened, one text each. Empty if the engine has passed. */
  faults: readonly string[];
}

/** Returns percentiles of waits. */
export function waitsOf(ms: readonly number[]): Waits {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}
