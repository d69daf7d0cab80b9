import { canonicalJson } from "../base/json.ts";
import { addUsd, usdFromCents } from "../base/usd.ts";
import type { StoredOf } from "../log/event.ts";
import type { EventData } from "../log/event-data.ts";
import { budgetOf } from "../log/stored-budget.ts";
import { usageOf } from "../log/tokens.ts";
import { addUsage, noUsage } from "../model/pricing.ts";
import type { CallState, RunState } from "../session/state.ts";

/** Adds a task of a hook or a tool to the run. */
export function addTask(run: RunState, { seq, data }: StoredOf<"task_started">): void {
  const { task_id: call_id, agent, by, slice } = data;
  const call = newCall({ call_id, tool_name: agent, arguments: {} }, seq);
  const started = { idempotencyKey: call_id, slice: budgetOf(slice), agent };
  run.tasks.push({ ...call, started, running: true, by, over: false });
}

/** Charges the task of a `spending` event with what the run is charged for. */
export function chargeTask(
  run: RunState,
  { task: taskId, task_over, ...spent }: EventData["spending"],
): void {
  const task = run.tasks.find(({ callId }) => callId === taskId);
  if (task === undefined) return;
  task.charged = {
    usage: addUsage(task.charged.usage, usageOf(spent.tokens)),
    costUsd: addUsd(task.charged.costUsd, usdFromCents(spent.cost_cents)),
  };
  task.over ||= task_over === true;
}

/** Returns a call that was just made. */
export function newCall(data: EventData["tool_call"], assistantSeq: number): CallState {
  return {
    callId: data.call_id,
    toolName: data.tool_name,
    arguments: data.arguments,
    key: `${data.tool_name} ${canonicalJson(data.arguments)}`,
    invalid: data.invalid,
    skipped: data.skipped,
    assistantSeq,
    question: undefined,
    answer: undefined,
    about: undefined,
    charged: { usage: noUsage, costUsd: 0 },
    questions: 0,
    started: undefined,
    running: false,
    result: undefined,
  };
}
