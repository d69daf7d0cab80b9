import type { StoredEvent, StoredOf } from "@pawl/core";
import { outcomeUnknown } from "@pawl/core/tools";
import type { KillReport } from "./kill-report.ts";
import type { AppendRecord, Records, StepRecord } from "./records.ts";
import { LAST_TEXT, ONCE, TURN_COUNT } from "./story.ts";

/** Returns what is wrong with the log of one run: it has gaps, did not end well, or a call has no result. */
export function faultsOfLog(log: readonly StoredEvent[]): string[] {
  const faults: string[] = [];
  const sessionId = log[0]?.sessionId ?? "a run without events";
  const fault = (text: string) => faults.push(`${sessionId}: ${text}`);
  for (const [index, { seq }] of log.entries())
    if (seq !== index + 1) fault(`event ${index + 1} has the number ${seq}`);
  const ends = ofType(log, "run_ended");
  const stops = ends.map(({ data }) => data.stop.type).join();
  if (stops !== "end_turn") fault(`the run has ended as [${stops}], not as [end_turn]: ${briefly(log)}`);
  for (const { seq, type } of log.slice(ends[0]?.seq ?? log.length))
    if (type !== "error") fault(`${type} ${seq} was stored after the run's end`);
  const answers = ofType(log, "assistant_message").filter(({ data }) => data.disposition === "kept");
  if (answers.length !== TURN_COUNT) fault(`the log has ${answers.length} answers of ${TURN_COUNT} turns`);
  const last = answers.at(-1)?.data.content.find(({ type }) => type === "text");
  if (last?.text !== LAST_TEXT) fault(`the last answer is ${JSON.stringify(last?.text)}`);
  const results = ofType(log, "tool_result");
  for (const { data } of ofType(log, "tool_call")) {
    const own = results.filter((result) => result.data.call_id === data.call_id);
    if (own.length !== 1) fault(`the call ${data.call_id} has ${own.length} results`);
    const [result] = own;
    if (result?.data.success === false && !isUnknown(result))
      fault(`"${data.tool_name}" has failed: ${JSON.stringify(result.data.result)}`);
  }
  return faults;
}

/**
 * Returns whether the outcome of a call is unknown because its worker was lost. Only the tool that must not
 * run twice may have such a result: the calls of the other one run again.
 */
function isUnknown({ data }: StoredOf<"tool_result">): boolean {
  const { tool_name, success, result } = data;
  return tool_name === ONCE && !success && JSON.stringify(result).includes(UNKNOWN);
}

/** What the text for unknown outcomes says before the reason. */
const UNKNOWN = outcomeUnknown("").slice(0, "The outcome of this call is unknown".length);

/** Returns the types of a log's events, each with its time in seconds since the first one. */
function briefly(log: readonly StoredEvent[]): string {
  const start = Date.parse(log[0]?.at ?? "");
  return log.map(({ type, at }) => `${type} ${((Date.parse(at) - start) / 1000).toFixed(1)}`).join(", ");
}

/** Returns the calls whose effect happened twice, and those that succeeded without one. */
export function faultsOfEffects(log: readonly StoredEvent[], steps: readonly StepRecord[]): string[] {
  const effects = new Map<string, string[]>();
  for (const { tool, callId, worker } of steps)
    if (tool === ONCE) effects.set(callId, [...(effects.get(callId) ?? []), worker]);
  const twice = [...effects]
    .filter(([, workers]) => workers.length > 1)
    .map(([callId, workers]) => `the effect of ${callId} happened ${workers.length} times, in ${workers}`);
  const missing = ofType(log, "tool_result")
    .filter(({ data }) => data.tool_name === ONCE && data.success && !effects.has(data.call_id))
    .map(({ sessionId, data }) => `${sessionId}: ${data.call_id} has succeeded without an effect`);
  return [...twice, ...missing];
}

/**
 * Returns the appends that the store should have refused: those without a lease, and those under a lease that
 * another worker had taken. Without a lease, a worker may only log an error.
 */
export function faultsOfAppends(appends: readonly AppendRecord[]): string[] {
  const faults: string[] = [];
  const newest = new Map<string, AppendRecord>();
  for (const append of [...appends].sort((a, b) => a.seq - b.seq)) {
    const { sessionId, worker, seq, types, epoch } = append;
    const what = `${sessionId}: ${worker} stored ${types.join(", ")} as ${seq}`;
    if (epoch === undefined) {
      if (types.some((type) => type !== "error")) faults.push(`${what} without a lease`);
      continue;
    }
    const before = newest.get(sessionId);
    if (before === undefined || (before.epoch ?? 0) <= epoch) newest.set(sessionId, append);
    else faults.push(`${what} under the lease ${epoch}, and ${before.worker} had the lease ${before.epoch}`);
  }
  return faults;
}

/** What the logs of all runs say. */
export interface Judged {
  counts: Pick<KillReport, "runs" | "effects" | "effectsTwice" | "unknownOutcomes" | "lateResults">;
  faults: string[];
}

/** Judges the logs of all runs, and what the workers have reported. */
export function judge(
  logs: readonly (readonly StoredEvent[])[],
  { steps, appends }: Pick<Records, "steps" | "appends">,
): Judged {
  const all = logs.flat();
  const effects = steps.filter(({ tool }) => tool === ONCE);
  const unknown = ofType(all, "tool_result").filter(isUnknown);
  const late = ofType(all, "error").filter(({ data }) => data.code === "late_result");
  return {
    counts: {
      runs: logs.length,
      effects: effects.length,
      effectsTwice: effects.length - new Set(effects.map(({ callId }) => callId)).size,
      unknownOutcomes: unknown.length,
      lateResults: late.length,
    },
    faults: [
      ...logs.flatMap((log) => faultsOfLog(log)),
      ...faultsOfEffects(all, steps),
      ...faultsOfAppends(appends),
    ],
  };
}

function ofType<T extends "run_ended" | "assistant_message" | "tool_call" | "tool_result" | "error">(
  log: readonly StoredEvent[],
  type: T,
): StoredOf<T>[] {
  return log.filter((event): event is StoredOf<T> => event.type === type);
}
