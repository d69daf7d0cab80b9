import type { PlannedToolCall, RunContext, ToolChange } from "@pawl/core";
import { WRITE_PLAN } from "../plan/plan-schema.ts";
import type { RunRecord } from "../record/record.ts";
import type { Work } from "./work.ts";

/**
 * Answers a call of a gated tool with an error until the request is clear. The call counts as skipped, and
 * not as a failure of the tool.
 */
export async function gate<Deps>(
  { gates, readRun }: Work<Deps>,
  { tool }: PlannedToolCall,
  context: RunContext<Deps>,
): Promise<ToolChange | undefined> {
  if (!gates.includes(tool.name)) return undefined;
  const why = unclear((await readRun(context)).record);
  if (why === undefined) return undefined;
  const message = `Not run: "${tool.name}" waits until the request is clear, and ${why}`;
  return { result: { status: "error", error: { code: "not_clear", message } }, skipped: "gated" };
}

/** Why a request is not clear yet; `undefined` if it is. */
function unclear({ plan, ambiguityResolved, calls }: RunRecord): string | undefined {
  if (plan === undefined) return "there is no plan yet. Write one with write_plan first.";
  if (!ambiguityResolved) return "the plan has an open question. The user is asked before the next turn.";
  // A call of the same turn may open a question.
  if (calls.some(({ tool, status }) => tool === WRITE_PLAN && status === "running"))
    return "the plan is being changed in this turn. Call it again in the next turn.";
  return undefined;
}
