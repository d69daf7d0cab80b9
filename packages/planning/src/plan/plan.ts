import type { Json } from "@pawl/core";

/** A step of a plan. */
export interface Task {
  /** The task's name in the plan: 1 to 64 letters, digits, `_` and `-`. */
  id: string;
  /** What the task is, in a sentence. */
  title: string;
  /** The tool that does the task. Absent for a task without a tool, e.g. a summary. */
  tool?: string;
  /** The id of the custom agent that does the task. A task has a tool, an agent or neither. */
  agent?: string;
  /** The ids of the tasks whose results this one needs. */
  depends_on: string[];
  /** Whether the task may run beside others. */
  parallelizable: boolean;
  /** `blocked`: the task cannot be done. */
  status: "pending" | "blocked" | "done";
  /** A remark, e.g. why the task is blocked. */
  note?: string;
}

/** A possible answer to a question. */
export interface Choice {
  /** Identifies the choice in the answer. Unique in its question. */
  id: string;
  /** What the user and then the model reads, e.g. a name. */
  label: string;
  /** What distinguishes the choice from others, for the user and the model, e.g. the team and the address. */
  detail?: string;
  /** Anything that only the page needs, e.g. `{ initials: "AC" }`. */
  data?: Json;
}

/** A question that the user must answer before the plan's tasks can be done. */
export interface PlanQuestion {
  /** The question in the user's language. */
  text: string;
  /** The words of the request that are ambiguous, e.g. `Alex`. */
  about?: string;
  /** Possible answers. */
  choices?: Choice[];
}

/** How a request will be answered. */
export interface Plan {
  /**
   * - `ok`: the tasks can be done.
   * - `needs_clarification`: the user has to answer `question` first.
   * - `blocked`: the request cannot be fulfilled; `blocked` says why.
   */
  status: "ok" | "needs_clarification" | "blocked";
  /** What the user wants, in a sentence. */
  goal: string;
  /** The tasks, in order. Empty if the request needs no tools. */
  tasks: Task[];
  /** What to ask the user; only with `needs_clarification`. */
  question?: PlanQuestion;
  /** Why the request cannot be fulfilled, in words for the user; only with `blocked`. */
  blocked?: string;
  /** Whether the reviewer should look at the results of the next turn. */
  needs_review: boolean;
  /** The ids of custom agents that may help. */
  candidate_agents: string[];
  /** A better wording for searches. It is shown in the plan and never used automatically. */
  rewritten_query?: string;
  /** Why the plan is as it is. */
  reasoning: string;
}

/**
 * Returns the tasks that can be done now: pending ones whose dependencies are done. A task that is not
 * `parallelizable` is returned alone, when it is the first in order.
 *
 * @example
 * ```ts
 * import { checkPlan, readyTasks } from "@pawl/planning";
 *
 * const checked = checkPlan({
 *   goal: "Find out what Alex says about Q4",
 *   tasks: [
 *     { id: "mail", title: "Search the mail", tool: "search_gmail", status: "done" },
 *     { id: "chat", title: "Search the chat", tool: "search_slack" },
 *     { id: "sum", title: "Summarise", depends_on: ["mail", "chat"] },
 *   ],
 * });
 * if (checked.status === "ok") console.log(readyTasks(checked.plan).map(({ id }) => id)); // [ 'chat' ]
 * ```
 */
export function readyTasks({ tasks }: Pick<Plan, "tasks">): Task[] {
  const done = new Set(tasks.filter(({ status }) => status === "done").map(({ id }) => id));
  const ready = tasks.filter(
    ({ status, depends_on }) => status === "pending" && depends_on.every((id) => done.has(id)),
  );
  const [first] = ready;
  if (first !== undefined && !first.parallelizable) return [first];
  return ready.filter(({ parallelizable }) => parallelizable);
}

/**
 * Returns how far a plan has come, in numbers of tasks.
 *
 * @example
 * ```ts
 * import { planProgress } from "@pawl/planning";
 *
 * const task = { title: "Search", depends_on: [], parallelizable: true };
 * const progress = planProgress({
 *   tasks: [
 *     { ...task, id: "mail", status: "done" },
 *     { ...task, id: "chat", status: "pending" },
 *   ],
 * });
 * console.log(progress.done, progress.total, progress.ready); // 1 2 [ 'chat' ]
 * ```
 */
export function planProgress(plan: Pick<Plan, "tasks">): {
  total: number;
  done: number;
  blocked: number;
  pending: number;
  /** The ids of the tasks that can be done now, see `readyTasks()`. */
  ready: string[];
  /** Whether tasks are pending and none of them can be done, because they need blocked ones. */
  stuck: boolean;
} {
  const count = (wanted: Task["status"]) => plan.tasks.filter(({ status }) => status === wanted).length;
  const ready = readyTasks(plan).map(({ id }) => id);
  const pending = count("pending");
  return {
    ...{ total: plan.tasks.length, done: count("done"), blocked: count("blocked"), pending },
    ...{ ready, stuck: pending > 0 && ready.length === 0 },
  };
}
