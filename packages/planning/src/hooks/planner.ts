import { toJson } from "@pawl/core";
import { isLogFailure } from "@pawl/core/tools";
import type { Plan } from "../plan/plan.ts";
import { planSchema, WRITE_PLAN } from "../plan/plan-schema.ts";
import { EVENTS, type PlanEvent } from "../record/events.ts";
import { boundsFor } from "../tools/write-plan.ts";
import { plannerPrompts } from "./prompts.ts";
import { checkedText } from "./returned.ts";
import { attempt, codeOf, type Here, logFailure, type Work } from "./work.ts";

/** Identifies the messages and answers that a plan is based on. One plan is made for each basis. */
export function basisOf({ record }: Pick<Here<never>, "record">): string {
  return `${record.messages.length}:${record.clarifications.length}`;
}

/**
 * Asks the model for a plan and stores it. If that fails, stores the failure. A plan whose question the user
 * has answered is then stored without the question.
 */
export async function makePlan<Deps>(work: Work<Deps>, here: Here<Deps>): Promise<void> {
  const basis = basisOf(here);
  const { context, record } = here;
  const hasFailed = record.failures.some((one) => one.part === "plan" && one.basis === basis);
  const plan = hasFailed ? undefined : await askForPlan(work, here, basis);
  if (plan !== undefined) await storePlan(here, "planner", plan, `plan:${basis}`);
  else if (record.plan !== undefined)
    await storePlan(here, "answer", answered(here, record.plan), `plan:${basis}`);
  context.signal.throwIfAborted();
}

/** Stores a plan, once under its key. */
export async function storePlan<Deps>(
  { context }: Here<Deps>,
  by: PlanEvent["by"],
  plan: Plan,
  key: string,
): Promise<void> {
  const data: PlanEvent = { run_id: context.runId, by, plan };
  await context.append({ type: EVENTS.plan, data: toJson(data), key: `planning:${context.runId}:${key}` });
}

async function askForPlan<Deps>(
  work: Work<Deps>,
  here: Here<Deps>,
  basis: string,
): Promise<Plan | undefined> {
  const { context, record, earlier } = here;
  const { facts } = work;
  const known =
    facts &&
    (await attempt(work, here, "facts", async (source) => checkedText("facts", await facts(source))));
  const listed = await work.list(context);
  const bounds = boundsFor(work, record, listed);
  const agents = "agents" in listed ? listed.agents : [];
  if ("error" in listed) await logFailure(here, { part: "agents", code: listed.error.code });
  const prompts = plannerPrompts(work.guidance, {
    ...{ record, earlier, tools: bounds.tools, facts: known },
    agents: agents as never,
  });
  try {
    const { output } = await context.askModel(work.model, {
      ...prompts,
      schema: planSchema(bounds),
      schemaName: WRITE_PLAN,
      schemaDescription: "Takes the plan.",
      ...{ maxTokens: work.maxTokens, timeoutMs: work.timeoutMs, reminders: 2, key: `plan:${basis}` },
    });
    return output;
  } catch (error) {
    if (context.signal.aborted || isLogFailure(error)) throw error;
    work.report(error, context);
    await logFailure(here, { part: "plan", code: codeOf(error), basis });
    return undefined;
  }
}

/** Returns the plan without its question; the same plan if the user has chosen none of the choices. */
function answered({ record }: Here<never> | Here<unknown>, plan: Plan): Plan {
  const last = record.clarifications.at(-1);
  if (last === undefined || last.answer === "") return plan;
  const { question: _question, ...rest } = plan;
  return { ...rest, status: "ok" };
}
