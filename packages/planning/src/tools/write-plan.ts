import { jsonSchema, type Tool, type ToolContext, toJson, tool } from "@pawl/core";
import { checkPlan } from "../plan/check-plan.ts";
import { readyTasks } from "../plan/plan.ts";
import { looselyPlanned, WRITE_PLAN } from "../plan/plan-schema.ts";
import { EVENTS, type PlanEvent } from "../record/events.ts";
import type { RunRecord } from "../record/record.ts";
import type { PlanWork } from "./work.ts";

/**
 * Returns the tools and agents that a plan may name: the tools that the model has, and the caller's custom
 * agents. If these cannot be listed, a plan must not name any.
 */
export function boundsFor<Deps>(
  { maxTasks, withhold }: PlanWork<Deps>,
  { tools }: RunRecord,
  listed: Awaited<ReturnType<PlanWork<Deps>["list"]>>,
): { tools: string[]; agents: string[]; maxTasks: number } {
  return {
    tools: tools.map(({ name }) => name).filter((name) => name !== WRITE_PLAN && !withhold.includes(name)),
    agents: "agents" in listed ? listed.agents.map(({ id }) => id) : [],
    maxTasks,
  };
}

/** The tool with which the agent's own model changes the plan. */
export function writePlanTool<Deps>(work: PlanWork<Deps>): Tool<Deps> {
  return tool({
    name: WRITE_PLAN,
    description:
      "Replaces the plan. Give all tasks, also those that are done. With the status needs_clarification, the user is asked before the next turn; with blocked, the request ends.",
    input: jsonSchema(looselyPlanned),
    idempotent: true,
    execute: async (draft, context: ToolContext<Deps>) => {
      const { record } = await work.readRun(context);
      const checked = checkPlan(draft, boundsFor(work, record, await work.list(context)));
      if (checked.status === "error") return checked;
      const { plan } = checked;
      const data: PlanEvent = { run_id: context.runId, by: "write_plan", plan };
      const key = `planning:${context.idempotencyKey}`;
      await context.append({ type: EVENTS.plan, data: toJson(data), key });
      return { status: plan.status, next: readyTasks(plan).map(({ id }) => id) };
    },
  }) as Tool<Deps>;
}
