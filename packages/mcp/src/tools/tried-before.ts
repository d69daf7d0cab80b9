import type { ToolContext } from "@pawl/core";

/** Whether a tool is called outside of a run, by `callTool()`. Then there is no log, and nothing can wait. */
export function isOutside<Deps>({ sessionId }: Pick<ToolContext<Deps>, "sessionId">): boolean {
  return sessionId === "";
}

/**
 * Whether an earlier process had begun this very step of the call and did not finish it. Core runs the tools
 * of servers again after a crash, because a call that is a task must go on. So it is for this package to see
 * that nothing is sent twice.
 */
export async function triedBefore<Deps>(context: ToolContext<Deps>): Promise<boolean> {
  const { read, callId, idempotencyKey } = context;
  if (isOutside(context)) return false;
  let starts = 0;
  for await (const event of read({ types: ["tool_started", "tool_suspended"] })) {
    if (event.type === "tool_started" && event.data.idempotency_key === idempotencyKey) starts += 1;
    // A new step begins with the answer.
    if (event.type === "tool_suspended" && event.data.call_id === callId) starts = 0;
  }
  return starts > 1;
}
