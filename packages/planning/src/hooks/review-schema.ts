import type { JsonObject, Schema } from "@pawl/core";
import { cutText } from "@pawl/core/tools";
import { fieldsOf, listed } from "../base/text.ts";
import { checkPlan, type PlanBounds, questionIn } from "../plan/check-plan.ts";
import type { Plan, PlanQuestion } from "../plan/plan.ts";
import { objectOf, questionJson, schemaOf, tasksJson } from "../plan/plan-schema.ts";

/** What the reviewer's model has decided. */
export interface Decision {
  notes: string;
  /** The plan after the review; absent if it stays as it is. */
  plan?: Plan;
  question?: PlanQuestion;
  stop?: string;
}

const REVIEW: JsonObject = objectOf({
  notes: { type: "string", description: "What the assistant should know, in a sentence or two." },
  tasks: { anyOf: [tasksJson, { type: "null" }], description: "The whole new list, or null." },
  order: {
    anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }],
    description: "The ids of all tasks in a new order, or null.",
  },
  question: questionJson,
  stop: { type: ["string", "null"], description: "Why the request ends here, or null." },
});

/** Returns the schema of a review of this plan. Changes that make it wrong are refused, with reasons. */
export function reviewSchema(plan: Plan, bounds: PlanBounds): Schema<Decision> {
  return schemaOf(REVIEW, (value) => {
    const { notes, tasks, order, question: asked, stop } = fieldsOf(value);
    const decision: Decision = { notes: cutText(textOr(notes, ""), 2_000) };
    const reason = textOr(stop, "");
    if (reason !== "") return { value: { ...decision, stop: cutText(reason, 1_000) } };
    const question = questionIn(asked);
    const ordered = inOrder(Array.isArray(tasks) ? tasks : plan.tasks, order);
    if ("problem" in ordered) return { problems: [ordered.problem] };
    const status =
      question === undefined ? { status: "ok" } : { status: "needs_clarification", question: asked };
    const changes = Array.isArray(tasks) || Array.isArray(order) || question !== undefined;
    // A review clears the plan's `needs_review`.
    if (!changes && !plan.needs_review) return { value: decision };
    const { question: _asked, blocked: _blocked, ...kept } = plan;
    const checked = checkPlan({ ...kept, ...status, tasks: ordered.tasks, needs_review: false }, bounds);
    if (checked.status === "error") return { problems: checked.error.problems };
    return { value: { ...decision, plan: checked.plan, ...(question !== undefined && { question }) } };
  });
}

function inOrder(tasks: readonly unknown[], order: unknown): { tasks: unknown[] } | { problem: string } {
  if (!Array.isArray(order)) return { tasks: [...tasks] };
  const byId = new Map(tasks.map((task) => [fieldsOf(task).id, task]));
  const ids = [...new Set(order)];
  const isWhole = ids.length === byId.size && ids.every((id) => byId.has(id));
  if (!isWhole) {
    const known = [...byId.keys()].flatMap((id) => (typeof id === "string" ? [cutText(id, 64)] : []));
    return { problem: `\`order\` must have the ids of all tasks: ${listed(known)}.` };
  }
  return { tasks: ids.map((id) => byId.get(id)) };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value.trim() : otherwise;
}
