import type { Json, StoredOf } from "@pawl/core";

/** The input of a call that runs or asks the user, if a hook has changed it and pages may have it. */
export interface CallEdit {
  callId: string;
  toolName: string;
  input: Json;
}

/** Returns a function that returns the edit that an event brings, unless it has returned it before. */
export function newEdits(): (event: StoredOf<"tool_started" | "tool_suspended">) => CallEdit[] {
  const known = new Map<string, string>();
  return ({ data }) => {
    const { call_id: callId, tool_name: toolName, input, input_for } = data;
    // After a hook's own question, later hooks may still change the input.
    const isOfHook = "by" in data && data.by !== undefined;
    if (input === undefined || input_for !== "all" || isOfHook) return [];
    const json = JSON.stringify(input);
    if (known.get(callId) === json) return [];
    known.set(callId, json);
    return [{ callId, toolName, input }];
  };
}
