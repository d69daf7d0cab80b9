import { RUN_AGENT } from "../base/run-agent.ts";
import type { Plan, Task } from "../plan/plan.ts";
import type { RunRecord, ToolExecution } from "./record.ts";

/**
 * Returns the plan after the calls since it was written; `undefined` if they change nothing. A call that
 * succeeded, or was skipped because it had succeeded before, marks the first pending task of its tool or
 * agent as done. Tasks of a tool that has failed `failures` times in a row are blocked.
 */
export function planAfterCalls(record: RunRecord, failures: number): Plan | undefined {
  const { plan, planned, calls, failedTools } = record;
  if (plan === undefined || planned === undefined) return undefined;
  const fresh = calls.filter(({ seq }) => seq > planned.seq);
  let { tasks } = plan;
  for (const call of fresh) if (hasResult(call)) tasks = withDone(tasks, call);
  const out = new Map(failedTools.filter(({ count }) => count >= failures).map((one) => [one.tool, one]));
  tasks = tasks.map((task) => {
    const failed = out.get(task.tool ?? (task.agent === undefined ? "" : RUN_AGENT));
    if (failed === undefined || task.status !== "pending") return task;
    const note = `"${failed.tool}" has failed ${failed.count} times: ${failed.lastError}`;
    return { ...task, status: "blocked", note };
  });
  return tasks.every((task, at) => task === plan.tasks[at]) ? undefined : { ...plan, tasks };
}

/** Whether the model has the result of the call: the call succeeded, now or earlier with the same input. */
function hasResult({ status, skipped }: ToolExecution): boolean {
  return status === "success" || skipped === "duplicate";
}

/** Marks the first pending task of the call's tool or agent as done. Prefers tasks that can be done now. */
function withDone(tasks: Task[], call: ToolExecution): Task[] {
  const done = new Set(tasks.filter(({ status }) => status === "done").map(({ id }) => id));
  const open = tasks.filter((task) => task.status === "pending" && isDoneBy(task, call));
  const task = open.find(({ depends_on }) => depends_on.every((id) => done.has(id))) ?? open[0];
  if (task === undefined) return tasks;
  return tasks.map((one) => (one === task ? { ...one, status: "done" } : one));
}

function isDoneBy({ tool, agent }: Task, call: ToolExecution): boolean {
  if (tool !== undefined) return tool === call.tool;
  if (agent === undefined) return false;
  const input = call.arguments as { agent_id?: unknown } | null;
  return Object(input).agent_id === agent;
}
