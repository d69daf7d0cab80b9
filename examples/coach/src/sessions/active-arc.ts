import type { ToolContext } from "@pawl/core";

/** Returns the session's current arc: the mode that a tool set last. */
export async function activeArc({ read }: Pick<ToolContext, "read">): Promise<string | undefined> {
  let mode: string | null | undefined;
  for await (const event of read({ types: ["tool_result"] })) {
    if (event.type === "tool_result" && event.data.mode !== undefined) mode = event.data.mode;
  }
  return mode ?? undefined;
}
