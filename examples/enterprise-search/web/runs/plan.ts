import type { ToolExecution } from "@pawl/planning";
import { fieldsOf, listOf, textOf, textsOf } from "../base/read.ts";
import type { Run, WrittenPlan } from "./run.ts";

/** How far a task is. `waiting`: it needs others. `left`: the run has ended without it. */
export type TaskState = "waiting" | "next" | "running" | "done" | "blocked" | "left";

/** What has changed a task since the first plan, and how. */
export interface TaskChange {
  by: "reviewer" | "agent";
  kind: "added" | "changed" | "removed";
}

/** A task of a plan, as the page shows it. */
export interface ShownTask {
  id: string;
  title: string;
  /** The tool or agent that does it. */
  by: string;
  dependsOn: readonly string[];
  state: TaskState;
  note: string;
  change?: TaskChange;
  /** The last call that did this task. */
  call?: ToolExecution;
}

export interface ShownPlan {
  goal: string;
  reasoning: string;
  /** A better wording, as a suggestion. */
  rewritten: string;
  tasks: readonly ShownTask[];
  removed: readonly (Pick<ShownTask, "id" | "title"> & { change: TaskChange })[];
}

type ReadTask = Pick<ShownTask, "id" | "title" | "by" | "dependsOn" | "note"> & { status: string };

/** Reads the tasks of a stored plan. What this version cannot read is left out. */
export function tasksIn(plan: unknown): ReadTask[] {
  const seen = new Set<string>();
  return listOf(fieldsOf(plan).get("tasks")).flatMap((value) => {
    const task = fieldsOf(value);
    const id = textOf(task.get("id"));
    if (id === "" || seen.has(id)) return [];
    seen.add(id);
    return {
      id,
      title: textOf(task.get("title")) || id,
      by: textOf(task.get("tool")) || textOf(task.get("agent")),
      dependsOn: textsOf(task.get("depends_on")),
      note: textOf(task.get("note")),
      status: textOf(task.get("status")),
    };
  });
}

/** Returns the plan of a run with the state of each task; `undefined` without tasks. */
export function planOf({ record, plans, endedAt }: Run): ShownPlan | undefined {
  const { plan } = record;
  const tasks = tasksIn(plan);
  const { changes, removed } = changesOf(plans);
  if (tasks.length === 0 && removed.length === 0) return undefined;
  const calls = callsOf(tasks, record.calls);
  const ended = endedAt === undefined ? undefined : (record.stop?.type ?? "ended");
  const done = new Set<string>();
  const shown: ShownTask[] = [];
  for (const { status, ...task } of tasks) {
    const call = calls.get(task.id);
    const isReady = task.dependsOn.every((id) => done.has(id));
    const state = stateOf({ status, isReady, call, hasTool: task.by !== "", ended });
    if (state === "done") done.add(task.id);
    const change = changes.get(task.id);
    shown.push({ ...task, state, ...(call && { call }), ...(change && { change }) });
  }
  const fields = fieldsOf(plan);
  return {
    goal: textOf(fields.get("goal")),
    reasoning: textOf(fields.get("reasoning")),
    rewritten: textOf(fields.get("rewritten_query")),
    tasks: shown,
    removed,
  };
}

interface Facts {
  status: string;
  isReady: boolean;
  call: ToolExecution | undefined;
  /** Whether a tool or an agent does it. Others are done by the answer itself. */
  hasTool: boolean;
  /** Why the run has ended. */
  ended: string | undefined;
}

function stateOf({ status, isReady, call, hasTool, ended }: Facts): TaskState {
  if (status === "done" || status === "blocked") return status;
  if (ended !== undefined) return ended === "end_turn" && !hasTool && isReady ? "done" : "left";
  if (call?.status === "running") return "running";
  if (call?.status === "success") return "done";
  if (!isReady) return "waiting";
  return hasTool ? "next" : "running";
}

/** Assigns calls to tasks: the tasks of a tool get its calls in order, the last one all that are left. */
function callsOf(tasks: readonly ReadTask[], calls: readonly ToolExecution[]): Map<string, ToolExecution> {
  const assigned = new Map<string, ToolExecution>();
  const made = calls.filter(({ status }) => status !== "skipped");
  for (const name of new Set(tasks.map(({ by }) => by).filter((by) => by !== ""))) {
    const own = tasks.filter(({ by }) => by === name);
    let at = 0;
    for (const call of made.filter((one) => isBy(one, name))) {
      const task = own[at];
      if (task === undefined) break;
      assigned.set(task.id, call);
      if (call.status === "success" && at < own.length - 1) at += 1;
    }
  }
  return assigned;
}

/** Whether a tool or an agent made a call. */
function isBy(call: ToolExecution, name: string): boolean {
  return call.tool === name || textOf(fieldsOf(call.arguments).get("agent_id")) === name;
}

/** Whether the plan shows this call, so that it needs no line of its own. */
export function isPlanned({ tasks }: ShownPlan, call: { toolName: string; arguments: unknown }): boolean {
  const agent = textOf(fieldsOf(call.arguments).get("agent_id"));
  return tasks.some(({ by }) => by !== "" && (by === call.toolName || by === agent));
}

const AUTHORS: ReadonlyMap<string, TaskChange["by"]> = new Map([
  ["reviewer", "reviewer"],
  ["write_plan", "agent"],
]);

/** Returns what the reviewer and the agent have changed, by the tasks' ids. */
export function changesOf(plans: readonly WrittenPlan[]) {
  const changes = new Map<string, TaskChange>();
  const removed = new Map<string, ShownPlan["removed"][number]>();
  let before: ReadTask[] | undefined;
  for (const { by, plan } of plans) {
    const tasks = tasksIn(plan);
    const author = AUTHORS.get(by);
    if (author !== undefined && before !== undefined && before.length > 0)
      compare(before, tasks, author, changes, removed);
    before = tasks;
  }
  return { changes, removed: [...removed.values()] };
}

function compare(
  before: readonly ReadTask[],
  tasks: readonly ReadTask[],
  by: TaskChange["by"],
  changes: Map<string, TaskChange>,
  removed: Map<string, ShownPlan["removed"][number]>,
): void {
  const known = new Map(before.map((task) => [task.id, task]));
  for (const task of tasks) {
    const old = known.get(task.id);
    known.delete(task.id);
    removed.delete(task.id);
    if (old === undefined) changes.set(task.id, { by, kind: "added" });
    else if (isOther(old, task) && changes.get(task.id)?.kind !== "added")
      changes.set(task.id, { by, kind: "changed" });
  }
  for (const { id, title } of known.values()) removed.set(id, { id, title, change: { by, kind: "removed" } });
}

function isOther(a: ReadTask, b: ReadTask): boolean {
  const words = (one: ReadTask) => JSON.stringify([one.title, one.by, one.dependsOn, one.note]);
  return words(a) !== words(b) || (a.status !== b.status && b.status === "blocked");
}
