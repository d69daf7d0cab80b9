import type { ToolContext } from "@pawl/core";

/**
 * Whether an earlier process had begun this very step of the call and did not finish it. Core runs the tools
 * of servers again after a crash, because a call that is a task must go on. So it is for this package to see
 * that nothing is sent twice.
 */
export async function triedBefore<Deps>({
  read,
  callId,
  idempotencyKey,
}: Pick<ToolContext<Deps>, "read" | "callId" | "idempotencyKey">): Promise<boolean> {
  let starts = 0;
  for await (const event of read({ types: ["tool_started", "tool_suspended"] })) {
    if (event.type === "tool_started" && event.data.idempotency_key === idempotencyKey) starts += 1;
    // A new step begins with the answer.
    if (event.type === "tool_suspended" && event.data.call_id === callId) starts = 0;
  }
  return starts > 1;
}
