import { type Hook, type RunContext, type StopReason, toJson } from "@pawl/core";
import { isLogFailure } from "@pawl/core/tools";
import type { Plan } from "../plan/plan.ts";
import { EVENTS, type ReviewEvent } from "../record/events.ts";
import { planAfterCalls } from "../record/progress.ts";
import type { RunRecord } from "../record/record.ts";
import { boundsFor } from "../tools/write-plan.ts";
import { storePlan } from "./planner.ts";
import { reviewerPrompts } from "./prompts.ts";
import { reviewSchema } from "./review-schema.ts";
import { stopRun } from "./stop.ts";
import { codeOf, type Here, logFailure, type Work } from "./work.ts";

/** The turn that is over. */
type Turn = Parameters<NonNullable<Hook["afterTurn"]>>[0];

/** Updates the plan after the turn's calls, and has the turn reviewed if a review is due. */
export async function afterTurn<Deps>(
  work: Work<Deps>,
  turn: Turn,
  context: RunContext<Deps>,
): Promise<{ stop: StopReason } | undefined> {
  if (turn.calls.length === 0 || context.run.landing !== undefined) return undefined;
  let here: Here<Deps> = { context, ...(await work.readRun(context)) };
  const moved = planAfterCalls(here.record, context.limits.toolFailures);
  if (moved !== undefined) {
    await storePlan(here, "progress", moved, `progress:${turn.assistantSeq}`);
    here = { context, ...(await work.readRun(context)) };
  }
  const review = await reviewOf(work, here, turn);
  if (review?.plan !== undefined)
    await storePlan(here, "reviewer", review.plan, `review:${turn.assistantSeq}`);
  if (review?.stop === undefined) return undefined;
  return await stopRun(work, here, { code: "stopped_by_review", message: review.stop });
}

type Review = Omit<ReviewEvent, "run_id">;

/** Returns the turn's review: the stored one, or a new one if it is due. */
async function reviewOf<Deps>(work: Work<Deps>, here: Here<Deps>, turn: Turn): Promise<Review | undefined> {
  const { record } = here;
  const stored = record.reviews.find((one) => one.turn === turn.assistantSeq);
  if (stored !== undefined || work.review === undefined) return stored;
  const basis = `turn:${turn.assistantSeq}`;
  if (record.failures.some((one) => one.part === "review" && one.basis === basis)) return undefined;
  const reason = reasonFor(work, here, turn);
  if (reason === undefined) return undefined;
  return await ask(work, here, { turn: turn.assistantSeq, reason }, basis);
}

/** After this number of failed reviews, the run has no more reviews. */
const MOST_FAILURES = 2;

function reasonFor<Deps>(
  work: Work<Deps>,
  { context, record }: Here<Deps>,
  turn: Turn,
): ReviewEvent["reason"] | undefined {
  const { toolFailures } = context.limits;
  const { batches = true, everyCalls = 4 } = work.review ?? {};
  // If the reviewer's model is down, every turn would wait for the time limit.
  if (record.failures.filter(({ part }) => part === "review").length >= MOST_FAILURES) return undefined;
  if (record.plan?.needs_review === true) return "flagged";
  const called = new Set(turn.calls.map(({ toolName }) => toolName));
  const out = record.failedTools.some(({ tool, count }) => called.has(tool) && count === toolFailures);
  if (out) return "failures";
  if (batches && turn.calls.length > 1) return "batch";
  const since = record.reviews.at(-1)?.seq ?? 0;
  return record.calls.filter(({ seq }) => seq > since).length >= everyCalls ? "every" : undefined;
}

async function ask<Deps>(
  work: Work<Deps>,
  here: Here<Deps>,
  due: { turn: number; reason: ReviewEvent["reason"] },
  basis: string,
): Promise<Review | undefined> {
  const { context, record } = here;
  const bounds = boundsFor(work, record, await work.list(context));
  const { model = work.model } = work.review ?? {};
  try {
    const { output } = await context.askModel(model, {
      ...reviewerPrompts(work.guidance, record, [...bounds.tools, ...bounds.agents]),
      schema: reviewSchema(record.plan ?? emptyPlan(record), bounds),
      schemaName: "review",
      schemaDescription: "Takes the review.",
      ...{ maxTokens: work.maxTokens, timeoutMs: work.timeoutMs, reminders: 2, key: `review:${due.turn}` },
    });
    const status = output.stop !== undefined ? "stop" : output.question !== undefined ? "ask" : "ok";
    const data: ReviewEvent = { run_id: context.runId, ...due, status, ...output };
    const key = `planning:${context.runId}:review:${due.turn}:notes`;
    await context.append({ type: EVENTS.review, data: toJson(data), key });
    return data;
  } catch (error) {
    if (context.signal.aborted || isLogFailure(error)) throw error;
    work.report(error, context);
    await logFailure(here, { part: "review", code: codeOf(error), basis });
    return undefined;
  }
}

/** The plan that the reviewer gets if the planner has failed. */
function emptyPlan({ messages }: RunRecord): Plan {
  const goal = messages.map(({ text }) => text).join(" ");
  const rest = { needs_review: false, candidate_agents: [], reasoning: "" };
  return { status: "ok", goal: goal === "" ? "Answer the user" : goal, tasks: [], ...rest };
}
