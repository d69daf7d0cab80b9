import type { StoredEvent } from "@pawl/core";
import type { RunRecord } from "@pawl/planning";

/** A plan of a run, as it was written. */
export interface WrittenPlan {
  by: string;
  plan: unknown;
  seq: number;
}

/** What models have used for a part of a run. */
export interface ModelUse {
  /** `answer`: the agent's own model. Others are named by the hook or tool that asked. */
  by: string;
  model: string;
  answers: number;
  durationMs: number;
  costUsd: number;
  tokens: number;
}

/** A run of the conversation: its record, and what the record does not keep. */
export interface Run {
  /** The ids of the run and of its retries. */
  ids: readonly string[];
  record: RunRecord;
  plans: readonly WrittenPlan[];
  models: readonly ModelUse[];
  /** An estimate of what each result adds to the prompt, in tokens, by call id. */
  resultTokens: ReadonlyMap<string, number>;
  /** ISO 8601, UTC. `endedAt` is absent while the run is open. */
  startedAt: string;
  endedAt?: string;
  /** Whether the run waits for the user. */
  waits: boolean;
}

/** The runs of a part of a log. */
export interface Runs {
  runs: readonly Run[];
  /** How many events were folded, and the last of them. */
  count: number;
  last: StoredEvent | undefined;
  record: RunRecord;
}

/** Returns the run that has written a message; the last run if there is no message yet. */
export function runOf(runs: readonly Run[], messageId: string | undefined): Run | undefined {
  if (messageId === undefined) return runs.at(-1);
  const id = /^run:([^:]+)/.exec(messageId)?.[1];
  return runs.find(({ ids }) => id !== undefined && ids.includes(id));
}
