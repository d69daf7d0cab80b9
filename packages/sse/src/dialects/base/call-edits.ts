import type { Json, StoredOf } from "@pawl/core";

/** The input with which a call runs, or its tool asks, if a hook has changed it and pages may have it. */
export interface CallEdit {
  callId: string;
  toolName: string;
  input: Json;
}

/** Returns a function that finds the edits in events, each once. */
export function newEdits(): (event: StoredOf<"tool_started" | "tool_suspended">) => CallEdit[] {
  const known = new Map<string, string>();
  return ({ data }) => {
    const { call_id: callId, tool_name: toolName, input, input_for } = data;
    // A hook's question is about an input that later hooks may change.
    const isOfHook = "by" in data && data.by !== undefined;
    if (input === undefined || input_for !== "all" || isOfHook) return [];
    const json = JSON.stringify(input);
    if (known.get(callId) === json) return [];
    known.set(callId, json);
    return [{ callId, toolName, input }];
  };
}
