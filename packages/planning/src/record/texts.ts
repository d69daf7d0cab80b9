import { canonicalJson } from "@pawl/core";
import { cutText } from "@pawl/core/tools";
import { oneLine } from "../base/text.ts";
import { type Plan, readyTasks } from "../plan/plan.ts";
import type { Clarification, RunRecord, ToolExecution } from "./record.ts";
import { TAGS } from "./tags.ts";

/**
 * Returns the texts of a record that the model reads, by tag. The last `<Plan>` note is the current plan. The
 * other texts grow, and only their new lines are appended.
 *
 * @example
 * ```ts
 * import { checkPlan, newRecord, recordTexts } from "@pawl/planning";
 *
 * const tasks = [{ id: "mail", title: "Search the mail", tool: "search_gmail" }];
 * const checked = checkPlan({ goal: "Find the budget", tasks });
 * if (checked.status === "error") throw new Error(checked.error.message);
 * console.log(recordTexts({ ...newRecord("s1"), plan: checked.plan }).Plan);
 * // Goal: Find the budget
 * // 1. [pending] mail: Search the mail (search_gmail)
 * // Next: mail.
 * ```
 */
export function recordTexts(record: RunRecord): {
  Plan: string;
  Clarifications: string;
  ToolCallHistory: string;
  Review: string;
} {
  return {
    Plan: record.plan === undefined ? "" : planText(record.plan),
    Clarifications: record.clarifications.map(clarificationText).join("\n"),
    ToolCallHistory: record.calls
      .filter(({ status }) => status !== "running")
      .map((call, at) => `${at + 1}. ${callText(call, record.agent)}`)
      .join("\n"),
    Review: record.reviews.flatMap(({ notes }) => (notes === "" ? [] : [`- ${notes}`])).join("\n"),
  };
}

/**
 * Returns the notes to append so that the model reads the record as it is now. Does not repeat what the model
 * can read already.
 */
export function missingNotes(record: RunRecord): { tag: string; text: string }[] {
  const texts = recordTexts(record);
  const growing = [TAGS.clarifications, TAGS.history, TAGS.review].flatMap((tag) => {
    const said = record.notes.filter((note) => note.tag === tag && note.seq > record.seq);
    const text = restOf(
      texts[tag],
      said.map((note) => note.text),
    );
    return text === "" ? [] : [{ tag, text }];
  });
  const plan = texts.Plan === "" ? NO_PLAN : texts.Plan;
  const isSaid = plan === record.notes.findLast(({ tag }) => tag === TAGS.plan)?.text;
  return isSaid ? growing : [...growing, { tag: TAGS.plan, text: plan }];
}

/** What the model reads if there is no plan. */
const NO_PLAN = "There is no plan for this request.";

/**
 * Returns the part of a growing text that no note has yet. After a checkpoint that removed the notes, this is
 * the whole text.
 */
function restOf(text: string, notes: readonly string[]): string {
  for (let from = 0; from < notes.length; from += 1) {
    const said = notes.slice(from).join("\n");
    if (text === said || text.startsWith(`${said}\n`)) return text.slice(said.length + 1);
  }
  return text;
}

function planText(plan: Plan): string {
  const { goal, tasks, status, question, blocked, rewritten_query: query } = plan;
  const ready = readyTasks(plan).map(({ id }) => id);
  const together = ready.length > 1 ? " (independent of each other: call them in the same turn)" : "";
  return [
    `Goal: ${oneLine(goal, 1_000)}`,
    ...tasks.map((task, at) => `${at + 1}. ${taskText(task)}`),
    ...(ready.length === 0 ? [] : [`Next: ${ready.join(", ")}${together}.`]),
    ...(question === undefined ? [] : [`Open question to the user: ${oneLine(question.text, 1_000)}`]),
    ...(status === "blocked" ? [`Blocked: ${oneLine(blocked ?? "", 1_000)}`] : []),
    ...(query === undefined
      ? []
      : [`Suggested query, not to be used unless the user asks for it: ${oneLine(query, 1_000)}`]),
  ].join("\n");
}

function taskText({ id, title, tool, agent, depends_on, status, note }: Plan["tasks"][number]): string {
  const by = tool ?? (agent === undefined ? undefined : `agent ${agent}`);
  const after = depends_on.length === 0 ? undefined : `after ${depends_on.join(", ")}`;
  const facts = [by, after].filter((one) => one !== undefined).join("; ");
  const remark = note === undefined ? "" : `: ${oneLine(note, 500)}`;
  return `[${status}] ${id}: ${oneLine(title, 300)}${facts === "" ? "" : ` (${facts})`}${remark}`;
}

function clarificationText({ question, answer }: Clarification): string {
  const said = answer === "" ? "(none of the choices)" : oneLine(answer, 1_000);
  return `- ${oneLine(question, 1_000)} → ${said}`;
}

function callText(call: ToolExecution, mainAgent: string): string {
  const { tool, agent, connector, status, skipped, error, fragments, durationMs, costUsd } = call;
  const code = error?.code === undefined ? "" : ` ${error.code}`;
  const facts = [
    status === "skipped" ? `skipped: ${skipped}` : `${status}${code}`,
    connector ?? undefined,
    fragments.length > 0 ? `${fragments.length} found` : undefined,
    durationMs === null ? undefined : `${Math.round(durationMs)} ms`,
    costUsd > 0 ? `$${costUsd.toFixed(4)}` : undefined,
  ].filter((one) => one !== undefined);
  const input = cutText(canonicalJson(call.arguments), 200);
  return `${tool} (${facts.join(", ")}) ${input}${agent === mainAgent ? "" : ` by ${agent}`} – ${call.summary}`;
}
