import { checkOptions, type OptionKinds } from "@pawl/core";
import { cutText } from "@pawl/core/tools";
import { checkCounts } from "../base/check-counts.ts";
import { fieldsOf, joined, listed } from "../base/text.ts";
import { cycleIn } from "./cycle.ts";
import type { Choice, Plan, PlanQuestion, Task } from "./plan.ts";

/** The tools and agents that a plan may name, and its size. */
export interface PlanBounds {
  /** The names of the tools. Default: names are not checked. */
  tools?: Iterable<string>;
  /** The ids of the custom agents. Default: ids are not checked. */
  agents?: Iterable<string>;
  /** The most tasks of a plan. Default: 20. */
  maxTasks?: number;
}

/** The outcome of `checkPlan()`. `problems` has a sentence for each mistake; `message` has all of them. */
export type PlanCheck =
  | { status: "ok"; plan: Plan }
  | { status: "error"; error: { code: "invalid_plan"; message: string; problems: string[] } };

/** The default of `maxTasks`. */
export const MAX_TASKS = 20;

const OPTIONS: OptionKinds<PlanBounds> = { tools: "any", agents: "any", maxTasks: "number" };

/**
 * Checks a plan that a model has written, and fills in defaults. Never throws for a wrong plan: the outcome
 * says what is wrong, in sentences that the model can act on.
 *
 * Refuses duplicate ids, unknown tools, agents and dependencies, circular dependencies, more than `maxTasks`
 * tasks, `needs_clarification` without a question, and `blocked` without a reason. Fields that are `null`
 * count as absent.
 *
 * @throws PawlError `config` for invalid bounds.
 *
 * @example
 * ```ts
 * import { checkPlan } from "@pawl/planning";
 *
 * const draft = {
 *   goal: "Find the budget",
 *   tasks: [
 *     { id: "a", title: "Search", tool: "search_drive", depends_on: ["b"] },
 *     { id: "b", title: "Read", depends_on: ["a"] },
 *   ],
 * };
 * const checked = checkPlan(draft, { tools: ["search_gmail"] });
 * if (checked.status === "error") console.log(checked.error.problems.length); // 2
 * ```
 */
export function checkPlan(draft: unknown, bounds: PlanBounds = {}): PlanCheck {
  checkOptions("checkPlan()", bounds, OPTIONS);
  const { maxTasks = MAX_TASKS } = bounds;
  checkCounts("checkPlan()", { maxTasks });
  const problems: string[] = [];
  const given = fieldsOf(draft);
  const goal = words(given.goal, 1_000);
  if (goal === undefined) problems.push("`goal` is missing: say in a sentence what the user wants.");
  const entries = given.tasks ?? [];
  let tasks: Task[] = [];
  if (!Array.isArray(entries)) problems.push("`tasks` must be a list.");
  else if (entries.length > maxTasks)
    problems.push(
      `The plan has ${entries.length} tasks, and at most ${maxTasks} are allowed. Combine steps that belong together.`,
    );
  else {
    tasks = entries.flatMap((entry, at) => taskIn(entry, at, problems));
    if (tasks.length === entries.length) checkReferences(tasks, bounds, problems);
  }
  const ending = endingOf(given, problems);
  const { agents } = bounds;
  if (problems.length > 0 || goal === undefined) return refused(problems);
  const rewritten = words(given.rewritten_query, 1_000);
  return {
    status: "ok",
    plan: {
      ...ending,
      goal,
      tasks,
      needs_review: given.needs_review === true,
      candidate_agents: candidatesIn(given.candidate_agents, agents && new Set(agents)),
      ...(rewritten !== undefined && { rewritten_query: rewritten }),
      reasoning: words(given.reasoning, 2_000) ?? "",
    },
  };
}

/** The most candidates of a plan, and the longest id of one. */
const MOST_CANDIDATES = 100;
const LONGEST_CANDIDATE = 200;

function candidatesIn(value: unknown, known: ReadonlySet<string> | undefined): string[] {
  const isOne = (id: unknown): id is string =>
    typeof id === "string" && (known?.has(id) ?? id.length <= LONGEST_CANDIDATE);
  return [...new Set(Array.isArray(value) ? value.filter(isOne) : [])].slice(0, MOST_CANDIDATES);
}

function refused(problems: string[]): PlanCheck {
  const message = `The plan is not valid. ${joined(problems)}`;
  return {
    status: "error",
    error: { code: "invalid_plan", message, problems: problems.slice(0, 10) },
  };
}

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TASK_STATUSES: readonly string[] = ["pending", "blocked", "done"];

function taskIn(entry: unknown, at: number, problems: string[]): Task[] {
  const given = fieldsOf(entry);
  const where = `tasks[${at}]`;
  const before = problems.length;
  const { id, depends_on: needs, parallelizable = true } = given;
  const status = given.status ?? "pending";
  const title = words(given.title, 300);
  if (typeof id !== "string" || !ID.test(id))
    problems.push(`\`id\` of ${where} must be 1 to 64 letters, digits, _ and -.`);
  if (title === undefined) problems.push(`\`title\` of ${where} is missing.`);
  if (typeof status !== "string" || !TASK_STATUSES.includes(status))
    problems.push(`\`status\` of ${where} must be one of ${TASK_STATUSES.join(", ")}.`);
  const dependencies = needs ?? [];
  if (!Array.isArray(dependencies) || dependencies.some((one) => typeof one !== "string"))
    problems.push(`\`depends_on\` of ${where} must be a list of ids.`);
  const [tool, agent] = [words(given.tool, 200), words(given.agent, 200)];
  if (tool !== undefined && agent !== undefined)
    problems.push(`${where} has a tool and an agent: leave one out.`);
  if (problems.length > before) return [];
  const note = words(given.note, 500);
  return [
    {
      id: id as string,
      title: title as string,
      ...(tool !== undefined && { tool }),
      ...(agent !== undefined && { agent }),
      depends_on: [...new Set(dependencies as string[])],
      parallelizable: parallelizable !== false,
      status: status as Task["status"],
      ...(note !== undefined && { note }),
    },
  ];
}

function checkReferences(tasks: readonly Task[], { tools, agents }: PlanBounds, problems: string[]): void {
  const ids = new Set<string>();
  for (const { id } of tasks) {
    if (ids.has(id)) problems.push(`Two tasks have the id "${id}".`);
    ids.add(id);
  }
  const knownTools = tools === undefined ? undefined : new Set(tools);
  const knownAgents = agents === undefined ? undefined : new Set(agents);
  for (const { id, tool, agent, depends_on } of tasks) {
    if (tool !== undefined && knownTools?.has(tool) === false)
      problems.push(`"${tool}" of the task "${id}" is not a tool. The tools are: ${listed(knownTools)}.`);
    if (agent !== undefined && knownAgents?.has(agent) === false)
      problems.push(
        `"${agent}" of the task "${id}" is not an agent. The agents are: ${listed(knownAgents)}.`,
      );
    for (const needed of depends_on)
      if (!ids.has(needed))
        problems.push(`The task "${id}" depends on "${cutText(needed, 64)}", which is not in the plan.`);
  }
  const circle = cycleIn(tasks);
  if (circle !== undefined)
    problems.push(`These tasks wait for each other: ${cutText(circle.join(" → "), 1_000)}.`);
}

const STATUSES: readonly unknown[] = ["ok", "needs_clarification", "blocked"];

/** Reads the plan's status, and the question or reason that belongs to it. */
function endingOf(
  { status: said, question: asked, blocked: why }: { readonly [field: string]: unknown },
  problems: string[],
): Pick<Plan, "status" | "question" | "blocked"> {
  const status = said ?? "ok";
  if (!STATUSES.includes(status)) problems.push("`status` must be ok, needs_clarification or blocked.");
  if (status === "needs_clarification") {
    const question = questionIn(asked);
    if (question !== undefined) return { status, question };
    problems.push("A plan that needs_clarification needs `question.text`, the question to the user.");
  }
  if (status === "blocked") {
    const blocked = words(why, 1_000);
    if (blocked !== undefined) return { status, blocked };
    problems.push("A plan that is blocked needs `blocked`: the reason, in words for the user.");
  }
  return { status: "ok" };
}

/** Reads a question that a model has written, with texts as choices; `undefined` if it has no text. */
export function questionIn(value: unknown): PlanQuestion | undefined {
  const given = fieldsOf(value);
  const text = words(given.text, 1_000);
  if (text === undefined) return undefined;
  const about = words(given.about, 200);
  const choices = choicesIn(given.choices);
  return { text, ...(about !== undefined && { about }), ...(choices.length > 0 && { choices }) };
}

function choicesIn(value: unknown): Choice[] {
  const labels = (Array.isArray(value) ? value : []).flatMap(
    (one) => words(typeof one === "string" ? one : fieldsOf(one).label, 200) ?? [],
  );
  return [...new Set(labels)].slice(0, MOST_CHOICES).map((label, at) => ({ id: String(at + 1), label }));
}

/** The most choices of a question. */
export const MOST_CHOICES = 20;

/** Trims a text and cuts it to `limit`. Returns `undefined` for a blank text and for other values. */
function words(value: unknown, limit: number): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : cutText(text, limit);
}
