import type { EventStore, StoredEvent } from "@pawl/core";
import type { Records, StepRecord } from "./records.ts";

/** Notices steps and requests that are made again although the log has their result. */
export interface Guard {
  /** Notes a step before it is taken. */
  onStep(step: StepRecord): Promise<void>;
  /** Notes a worker's request for a turn of a session's run before it is answered. */
  onRequest(request: { worker: string; sessionId: string; turn: number }): Promise<void>;
  /** How many steps and requests were made again, by the worker that had the lease. */
  readonly again: { steps: number; requests: number; recorded: number };
}

/** Makes a guard that reads the logs in `store`. */
export function newGuard(records: Records, store: EventStore): Guard {
  const seen = new Set<string>();
  const again = { steps: 0, requests: 0, recorded: 0 };
  const isRepeated = (worker: string, sessionId: string, what: string): boolean => {
    const isFirst = !seen.has(what);
    seen.add(what);
    // A worker that was frozen finishes what it has begun, also if another one has the session by now.
    return !isFirst && records.ownerOf(sessionId) === worker;
  };
  const fault = (text: string) => {
    again.recorded += 1;
    records.faults.push(text);
  };
  return {
    again,
    onStep: async (step) => {
      records.steps.push(step);
      const { worker, sessionId, callId, tool } = step;
      if (!isRepeated(worker, sessionId, callId)) return;
      again.steps += 1;
      const results = await logOf(store, sessionId, "tool_result");
      if (results.some(({ data }) => (data as { call_id?: string }).call_id === callId))
        fault(`${sessionId}: ${worker} ran "${tool}" again, and the log has its result: ${callId}`);
    },
    onRequest: async ({ worker, sessionId, turn }) => {
      if (!isRepeated(worker, sessionId, `${sessionId} ${turn}`)) return;
      again.requests += 1;
      const answers = (await logOf(store, sessionId, "assistant_message")).filter(
        ({ data }) => (data as { disposition?: string }).disposition !== "discarded",
      );
      if (answers.length > turn)
        fault(`${sessionId}: ${worker} asked for turn ${turn + 1} again, and the log has its answer`);
    },
  };
}

async function logOf(
  store: EventStore,
  sessionId: string,
  type: "tool_result" | "assistant_message",
): Promise<StoredEvent[]> {
  return await Array.fromAsync(store.read(sessionId, { types: [type] }));
}
