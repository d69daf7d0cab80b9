import type { ToolContext } from "@pawl/core";

/** Returns the session's current arc: the last mode that a tool set. */
export async function activeArc({ read }: Pick<ToolContext, "read">): Promise<string | undefined> {
  let mode: string | null | undefined;
  for await (const event of read({ types: ["tool_result"] })) {
    if (event.type === "tool_result" && event.data.mode !== undefined) mode = event.data.mode;
  }
  return mode ?? undefined;
}
