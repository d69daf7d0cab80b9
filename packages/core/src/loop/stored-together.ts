import { hasLostServerCalls } from "../context/server-calls.ts";
import type { Leg } from "../leg/leg.ts";
import { isByLogOnly } from "../log/log-only.ts";
import { queuedMessages } from "../session/queued.ts";
import { type CallState, openRun, unanswered } from "../session/state.ts";
import type { Next } from "./decide.ts";
import { hooksWith } from "./hooks/call-hooks.ts";

/**
 * Returns whether a stop condition of the application will be called. It may report what it sees, so held
 * events are stored first.
 */
export function isDecidedByApplication({ agent, log }: Leg): boolean {
  const run = openRun(log.state);
  return run !== undefined && unanswered(run).length === 0 && !agent.stopWhen.every(isByLogOnly);
}

/**
 * Returns whether a step can be stored together with the events that led to it, in one append. It cannot if
 * code of the application's runs in between, because that may tell others what is not stored yet: a hook,
 * user data, the choice of a sub-agent, a checkpoint strategy.
 */
export function isStoredTogether(leg: Leg, next: Next): boolean {
  switch (next.do) {
    case "tools":
      return !hasHooks(leg, "beforeTool") && next.calls.every((call) => isReadyToRun(leg, call));
    case "model":
      return (
        !hasHooks(leg, "beforeRun", "beforeTurn", "beforeModel") &&
        // A new prefix is stored then, before the request is built.
        !hasLostServerCalls(leg.log.state) &&
        leg.agent.checkpointWhen.length === 0 &&
        (leg.agent.userData === undefined || leg.agent.userDataPer === "run")
      );
    case "end":
      return (
        !hasHooks(leg, "onStop", "afterRun") &&
        queuedMessages(leg.log.state).length === 0 &&
        openRun(leg.log.state)?.calls.some(({ toolName }) => isDelegated(leg, toolName)) === false
      );
    default:
      return false;
  }
}

/**
 * Returns whether a schema is the only application code called before the call's `tool_started`, or before
 * its result if it does not run.
 */
function isReadyToRun(leg: Leg, { toolName, question }: CallState): boolean {
  const { suspends, delegate, runsIn, format } = leg.agent.tools.get(toolName) ?? {};
  if (delegate !== undefined) return false;
  if (question === undefined) return suspends?.payload === undefined;
  // The answer becomes the call's result here. Hooks see the results of a page.
  return format === undefined && (runsIn !== "client" || !hasHooks(leg, "afterTool"));
}

/** Returns whether the application has hooks with one of these methods. */
function hasHooks(leg: Leg, ...methods: Parameters<typeof hooksWith>[1][]): boolean {
  return methods.some((method) => hooksWith(leg, method).some((hook) => !isByLogOnly(hook)));
}

function isDelegated({ agent }: Leg, toolName: string): boolean {
  return agent.tools.get(toolName)?.delegate !== undefined;
}
