import type { PlannedToolCall, RunContext, ToolChange } from "@pawl/core";
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
  const { record } = await readRun(context);
  if (record.ambiguityResolved) return undefined;
  const why =
    record.plan === undefined
      ? "there is no plan yet. Write one with write_plan first."
      : "the plan has an open question. The user is asked before the next turn.";
  const message = `Not run: "${tool.name}" waits until the request is clear, and ${why}`;
  return { result: { status: "error", error: { code: "not_clear", message } }, skipped: "gated" };
}
