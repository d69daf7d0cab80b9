import type { Json } from "../base/json.ts";
import { usdFromCents } from "../base/usd.ts";
import type { StoredEvent } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { resultPhase } from "../log/event-parts.ts";
import type { Spent } from "../log/tokens.ts";
import { noSpending, type Span, type Spending, sumOf } from "./spending.ts";

/**
 * A tool call, from its `tool_call` event to its `tool_result`. `tokens` and `costUsd` are what the sub-agent
 * has used that did the work. For other tools, `costUsd` is the cost that the tool has reported, or 0.
 */
export interface TimelineCall extends Span, Spending {
  /** Id of the call, as the model gave it. */
  callId: string;
  /** Name of the called tool. */
  toolName: string;
  /** `seq` of the call's `tool_call` event. */
  seq: number;
  /** The state of the call. `skipped` means that it was answered without running the tool. */
  phase: "running" | "waiting" | "done" | "error" | "skipped";
  /** The spans of time in which the call waited for the user's answer. */
  waits: Span[];
  /** The name of the sub-agent that does the work, if the call's input has chosen it. */
  agent?: string;
  /** The input with which the tool ran or asked, if a hook has changed it and did not hide it. */
  input?: Json;
  /** The service or data source that the tool has used, if it has reported one. */
  connector?: string;
  /** The ids of what the tool has found, if it has reported them. */
  fragments?: readonly string[];
  /** The outcome in a few words, if the tool has reported it. */
  summary?: string;
  /** The code of the error with which the call has failed, e.g. `ECONNREFUSED`, if it had one. */
  code?: string;
}

/** Applies an event to the list of calls. A `tool_call` event adds a call. */
export function applyToCalls(calls: TimelineCall[], event: StoredEvent): void {
  const at = Date.parse(event.at);
  switch (event.type) {
    case "tool_call": {
      const { call_id: callId, tool_name: toolName } = event.data;
      const { seq } = event;
      calls.push({ callId, toolName, seq, from: at, phase: "running", waits: [], ...noSpending });
      break;
    }
    case "tool_started": {
      const { agent } = event.data;
      change(calls, event.data, (call) =>
        Object.assign(call, agent !== undefined && { agent }, editIn(event.data)),
      );
      break;
    }
    case "tool_suspended":
      change(calls, event.data, (call) => {
        call.phase = "waiting";
        call.waits.push({ from: at });
        Object.assign(call, editIn(event.data));
      });
      break;
    case "tool_answered":
      change(calls, event.data, (call) => {
        call.phase = "running";
        endLast(call.waits, at);
      });
      break;
    case "tool_result": {
      const { report } = event.data;
      change(calls, event.data, (call) => {
        call.phase = resultPhase(event.data);
        call.to = at;
        endLast(call.waits, at);
        Object.assign(call, report);
      });
      break;
    }
  }
}

type MayChange = Partial<
  Pick<EventData["tool_started"] & EventData["tool_suspended"], "input" | "input_for" | "by">
>;

/**
 * Returns the input that hooks have changed, unless they hide it. Ignores a hook's own question: later hooks
 * may still change the input.
 */
function editIn({ input, input_for, by }: MayChange): Pick<TimelineCall, "input"> {
  const isTold = input !== undefined && input_for !== "nobody" && by === undefined;
  return isTold ? { input } : {};
}

/** Applies a change to the last call with this id, and adds the event's `spent` to it. */
function change(
  calls: TimelineCall[],
  { call_id, spent }: { call_id: string; spent?: Spent | undefined },
  apply: (call: TimelineCall) => void,
): void {
  const call = calls.findLast(({ callId }) => callId === call_id);
  if (call === undefined) return;
  apply(call);
  if (spent === undefined) return;
  const added = { tokens: spent.tokens, costUsd: usdFromCents(spent.cost_cents) };
  Object.assign(call, sumOf([call, added]));
}

/** Ends the last span, if it has no end yet. */
export function endLast(spans: readonly Span[], at: number): void {
  const last = spans.at(-1);
  if (last !== undefined) last.to ??= at;
}
