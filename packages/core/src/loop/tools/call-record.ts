import { invalidInput } from "../../base/invalid-input.ts";
import type { CallState } from "../../session/state.ts";
import type { Artifact } from "../../tools/artifact.ts";
import type { CallReport } from "../../tools/call-report.ts";
import type { CallOutput, MidwayQuestion } from "../leg/part-types.ts";

/** A tool's decisions by `completeSession()` and `setMode()`, and the call's duration in milliseconds. */
export interface ToolDecisions {
  durationMs?: number;
  completed?: boolean;
  mode?: string | null;
}

/** The record of what a running tool has made and reported. It is stored with the call's result. */
export interface CallRecord {
  /** Whether the call has its result, so that the tool can add nothing more. */
  closed: boolean;
  /** The artifacts that the tool has created. */
  artifacts: Artifact[];
  decided: ToolDecisions;
  report: CallReport;
  /** The largest number of levels of sub-agents among the tool's tasks. */
  depth: number;
  /** The question that the tool asks the user instead of returning a result, or its wait for a time. */
  asked: MidwayQuestion | undefined;
  /** Whether this process leaves the run while the tool has a task in progress. */
  left?: true;
  /** What the call shows to readers, once the tool has reported progress or emitted a part. */
  output?: Promise<CallOutput | undefined>;
  /** What the tool threw. */
  thrown?: { error: unknown };
}

/** Returns the record of a tool that has made and reported nothing yet. */
export function newCallRecord(): CallRecord {
  return { closed: false, artifacts: [], decided: {}, report: {}, depth: 0, asked: undefined };
}

/** Returns whether the call has its result, which may not be stored yet. */
export function isOver(call: CallState, record: Pick<CallRecord, "closed">): boolean {
  return record.closed || call.result !== undefined;
}

/** Throws if the call has its result. */
export function checkOpen(call: CallState, record: Pick<CallRecord, "closed">): void {
  if (isOver(call, record))
    throw invalidInput("The call has its result already, so its tool can add nothing more.");
}
