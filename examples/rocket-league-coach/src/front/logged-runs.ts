import type { JsonObject, StoredEvent, StoredOf } from "@pawl/core";

/** The types of the events that {@link loggedRuns} reads. */
export const RUN_EVENTS = [
  "run_started",
  "run_ended",
  "user_message",
  "assistant_message",
  "tool_result",
  "llm_request",
] as const;

/** A run as the log has it. */
export interface LoggedRun {
  runId: string;
  /** When it began, ISO 8601. */
  begunAt: string;
  /** The id of the request that it is charged to, see {@link chargedTo}. */
  requestId: string;
  /** Its messages, its answers and the results of its calls, in the order in which the model reads them. */
  events: StoredEvent[];
  /** `undefined` while it is open. */
  end: StoredOf<"run_ended"> | undefined;
}

/**
 * Returns the runs of a session, from its first event on. Each message belongs to one run at most:
 *
 * - to the run whose request sends it to the model first, whichever run it arrived in
 * - to the run that it began, if that run ends before it asks the model
 *
 * A message that no run has read yet belongs to none, e.g. one that arrived during a run and was cancelled
 * with it. The next run that asks the model sends it.
 */
export function loggedRuns(events: readonly StoredEvent[]): LoggedRun[] {
  const runs: LoggedRun[] = [];
  let start: StoredOf<"run_started"> | undefined;
  /** The messages that no run has yet, and those of them that the present run began with. */
  let unread: StoredOf<"user_message">[] = [];
  let begunBy = new Set<number>();
  const take = (is: (seq: number) => boolean) => {
    const taken = unread.filter(({ seq }) => is(seq));
    runs.at(-1)?.events.push(...taken);
    unread = unread.filter((one) => !taken.includes(one));
  };
  for (const event of events) {
    const run = runs.at(-1);
    switch (event.type) {
      case "run_started": {
        start = event;
        const params = unread.findLast(({ seq }) => begunBy.has(seq))?.data.params;
        const { run_id: runId } = event.data;
        const requestId = chargedTo(event.data, params);
        runs.push({ runId, begunAt: event.at, requestId, events: [], end: undefined });
        break;
      }
      case "user_message":
        unread.push(event);
        if (event.data.queued || run === undefined || start === undefined) break;
        begunBy.add(event.seq);
        run.requestId = chargedTo(start.data, event.data.params);
        break;
      case "llm_request":
        take((seq) => seq <= event.data.prompt.upto_seq);
        break;
      case "assistant_message":
      case "tool_result":
        run?.events.push(event);
        break;
      case "run_ended":
        take((seq) => begunBy.has(seq));
        begunBy = new Set(event.data.next?.messages);
        if (run !== undefined) run.end = event;
    }
  }
  // The last run is about to end, or will send them.
  if (runs.at(-1)?.end === undefined) take((seq) => begunBy.has(seq));
  return runs;
}

/**
 * Returns the id of the request that a run is charged to: that of the last message that it began with. A run
 * that began without one is charged to its own id, and so is a retry: it has the `params` of the run before
 * it, whose reservation is closed.
 */
export function chargedTo(
  { run_id, retry_of }: StoredOf<"run_started">["data"],
  params: JsonObject = {},
): string {
  return typeof params.request_id === "string" && retry_of === undefined ? params.request_id : run_id;
}
