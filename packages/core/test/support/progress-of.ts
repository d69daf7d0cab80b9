import type { Json } from "../../src/index.ts";

/** Returns the live event of a call's report. */
export function progressOf(callId: string, data: Json) {
  return { type: "tool_progress" as const, data: { call_id: callId, tool_name: "look", data } };
}
