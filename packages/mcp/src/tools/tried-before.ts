import type { ToolContext } from "@pawl/core";

/** Whether a tool is called outside of a run, by `callTool()`. Then there is no log, and nothing can wait. */
export function isOutside<Deps>({ sessionId }: Pick<ToolContext<Deps>, "sessionId">): boolean {
  return sessionId === "";
}

/**
 * Whether an earlier process began the same step of the call and did not finish it. After a crash,
 * core runs MCP tools again, because a call that has become a task must continue. So this package has to
 * make sure that nothing is sent twice.
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
