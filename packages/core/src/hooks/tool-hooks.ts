import type { Json } from "../json.ts";
import type { Leg } from "../leg.ts";
import type { CallState } from "../session/state.ts";
import { validate } from "../tools/schema.ts";
import type { Tool } from "../tools/tool.ts";
import { callHook, hooksWith } from "./call-hooks.ts";
import type { OutcomeChange, ToolChange, ToolOutcome } from "./hook.ts";

/** What the hooks make of a call: it may run with `input`, or is answered or asked about in its place. */
export type Screened =
  | { do: "run"; input: unknown; changed: Json | undefined }
  | { do: "deny"; why: string }
  /** The run was stopped before the hooks had made up their minds. */
  | { do: "leave" }
  | { do: "answer"; result: Json; skipped: string | undefined }
  | { do: "ask"; by: string; ask: Extract<ToolChange, { ask: unknown }>["ask"]; changed: Json | undefined };

/** The input that a call goes on with: `changed` is that input as JSON, where hooks have changed it. */
export interface CallInput {
  input: unknown;
  changed: Json | undefined;
}

/**
 * Asks `beforeTool` of every hook. Where a hook's question has been answered, that hook comes first, with the answer and
 * the input that the question was about: what was approved is what runs.
 */
export async function screenCall(leg: Leg, call: CallState, tool: Tool, given: CallInput): Promise<Screened> {
  let { input, changed } = given;
  const asker = call.asked?.by;
  const hooks = remainingHooks(leg, asker);
  if (hooks === undefined) return { do: "deny", why: `"${asker}", which asked about this call, is gone.` };
  for (const hook of hooks) {
    const planned = { callId: call.callId, tool, input, arguments: call.arguments };
    const answer = hook.name === asker ? { answer: call.answer?.value ?? null } : {};
    const { value, failed } = await callHook(leg, hook, "beforeTool", (context) =>
      hook.beforeTool({ ...planned, ...answer }, context),
    );
    if (failed) return { do: "deny", why: "A check of this call failed." };
    if (leg.signal.aborted) return { do: "leave" };
    if (value === undefined) continue;
    if (!("input" in value)) return decided(value, hook.name, changed);
    const checked = await validate(tool.input, value.input);
    if (!checked.ok)
      return { do: "deny", why: `The changed input does not fit: ${checked.problems.join("; ")}` };
    input = checked.value;
    changed = value.input;
  }
  return { do: "run", input, changed };
}

/** All hooks, or the one that has asked and those behind it; `undefined` if that one is gone. */
function remainingHooks(leg: Leg, asker: string | undefined) {
  const hooks = hooksWith(leg, "beforeTool");
  if (asker === undefined) return hooks;
  const at = hooks.findIndex(({ name }) => name === asker);
  return at === -1 ? undefined : hooks.slice(at);
}

function decided(
  change: Exclude<ToolChange, { input: unknown }>,
  by: string,
  changed: Json | undefined,
): Screened {
  if ("deny" in change) return { do: "deny", why: change.deny };
  if ("result" in change) return { do: "answer", result: change.result, skipped: change.skipped };
  return { do: "ask", by, ask: change.ask, changed };
}

/** What `afterTool` makes of an outcome. */
export async function afterTool(leg: Leg, outcome: ToolOutcome): Promise<OutcomeChange> {
  let change: OutcomeChange = {};
  for (const hook of hooksWith(leg, "afterTool")) {
    const seen = { ...outcome, ...change };
    const { value } = await callHook(leg, hook, "afterTool", (context) => hook.afterTool(seen, context));
    if (value) change = { ...change, ...value };
  }
  return change;
}
